// Builds what the package has in dist: declarations, the code of servers in a few files, and the client in one.
import { build } from 'esbuild'
import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { minify } from 'terser'

const ROOT = resolve(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
/** The statements by which chunks import and export names. */
const FROM_CHUNK = /import\{([^}]+)\}from"\.\/(chunk-\w+\.js)"/g
const EXPORTS = /export\{([^}]+)\};?\s*$/
/** The rooms that no request needs. */
const TOOLS = /^src\/(?:between-versions|changelog|check|command|testing)\//
const SUBPATHS = ['openapi', 'testing', 'usage', 'check', 'changelog']

process.chdir(ROOT)
rmSync(DIST, { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
await import('./declarations.js')

const entryPoints = { index: 'src/index.ts', bin: 'src/command/bin.ts' }
for (const name of SUBPATHS) entryPoints[name] = `src/${name}/index.ts`
const output = { bundle: true, format: 'esm', outdir: DIST, logLevel: 'warning' }
const server = { platform: 'node', target: 'node20', packages: 'external' }
const bundle = { ...output, ...server, entryPoints, splitting: true, minifyWhitespace: true, metafile: true }
const { metafile: { outputs } } = await build(bundle)
const all = Object.entries(outputs).map(([path, { inputs }]) => ({ path, inputs: Object.keys(inputs) }))
// esbuild names them by their content: by numbers, a package is compressed in the same order whatever is in it.
const chunks = all.filter(({ path }) => /-\w{8}\.js$/.test(path)).sort((a, b) => a.inputs[0] < b.inputs[0] ? -1 : 1)
  .map(({ path }, i) => [basename(path), `chunk-${i + 1}.js`])
/** The short names of what chunks export, by chunk. The functions themselves keep their names. */
const exported = new Map(chunks.map(([chunk]) => {
  const [, list] = EXPORTS.exec(readFileSync(join(DIST, chunk), 'utf8'))
  return [chunk, new Map(list.split(',').map((item, i) => [item.split(' as ').at(-1), `e${i}`]))]
}))
for (const { path, inputs } of all) await shorten(path, inputs.some((input) => !TOOLS.test(input)))
await build({
  ...output, entryPoints: { client: 'src/client/index.ts' }, platform: 'neutral', target: 'es2022', minify: true
})

/**
 * Minifies a file. Stack traces of servers keep the names of functions and classes, and a statement begins a line,
 * because Node prints the line of an error that is not caught.
 *
 * @param isServed whether servers run it, not only tests and the command line
 */
async function shorten (path, isServed) {
  const names = exported.get(basename(path))
  const bundle = readFileSync(path, 'utf8')
    .replace(FROM_CHUNK, (_statement, list, chunk) => {
      const shorter = (_item, name, local = ` as ${name}`) => exported.get(chunk).get(name) + local
      return `import{${list.replace(/(\w+)( as \w+)?/g, shorter)}}from"./${chunk}"`
    })
    .replace(EXPORTS, (statement, list) => {
      const shorter = (_item, local, name = local) => `${local} as ${names.get(name)}`
      return names ? `export{${list.replace(/(\w+)(?: as (\w+))?/g, shorter)}}` : statement
    })
  // esbuild makes an expression of a class with a static block. It has the name of its variable.
  const reserved = [...bundle.matchAll(/(\w+)=class\b/g)].map(([, variable]) => variable)
  const { code } = await minify(bundle, {
    module: true,
    compress: {
      passes: 2,
      sequences: false,
      inline: false,
      reduce_funcs: !isServed,
      // `value === null` is compressed better than `null === value`.
      lhs_constants: false,
      keep_fnames: isServed,
      keep_classnames: true
    },
    mangle: { keep_fnames: isServed, keep_classnames: true, reserved },
    format: { semicolons: false, ecma: 2020 }
  })
  const named = chunks.reduce((code, [hashed, numbered]) => code.replaceAll(hashed, numbered), code)
  writeFileSync(path, named)
  const [, name] = chunks.find(([hashed]) => hashed === basename(path)) ?? []
  if (name !== undefined) renameSync(path, join(DIST, name))
}
