// Builds what the package has in dist: declarations, the code of servers in a few files, and the client in one.
import { build } from 'esbuild'
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { minify } from 'terser'

const ROOT = resolve(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const SUBPATHS = ['openapi', 'testing', 'usage', 'check', 'changelog']

process.chdir(ROOT)
rmSync(DIST, { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
await import('./declarations.js')

const entryPoints = { index: 'src/index.ts', bin: 'src/command/bin.ts' }
for (const name of SUBPATHS) entryPoints[name] = `src/${name}/index.ts`
const output = { bundle: true, format: 'esm', outdir: DIST, logLevel: 'warning' }
const server = { platform: 'node', target: 'node20', packages: 'external' }
await build({ ...output, ...server, entryPoints, splitting: true, minifyWhitespace: true })
for (const name of readdirSync(DIST).filter((file) => file.endsWith('.js'))) await shorten(join(DIST, name))
await build({
  ...output, entryPoints: { client: 'src/client/index.ts' }, platform: 'neutral', target: 'es2022', minify: true
})

/**
 * Minifies a file. Stack traces keep the names of functions and classes, and a statement begins a line, because Node
 * prints the line of an error that is not caught.
 */
async function shorten (path) {
  const bundle = readFileSync(path, 'utf8')
  // esbuild makes an expression of a class with a static block. It has the name of its variable.
  const reserved = [...bundle.matchAll(/(\w+)=class\b/g)].map(([, variable]) => variable)
  const { code } = await minify(bundle, {
    module: true,
    compress: { sequences: false, inline: false, reduce_funcs: false, keep_fnames: true, keep_classnames: true },
    mangle: { keep_fnames: true, keep_classnames: true, reserved },
    format: { semicolons: false, ecma: 2020 }
  })
  writeFileSync(path, code)
}
