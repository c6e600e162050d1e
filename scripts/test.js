// Runs the tests of test/, several files in one process: half of what a small file costs is the start of its process.
//
//   node scripts/test.js              all of them, without the tests of --system
//   node scripts/test.js --quick      some of every room, and few tries of property tests
//   node scripts/test.js --system     what needs a browser, a cache, other programs or the whole heap
//   node scripts/test.js links        a folder
//   node scripts/test.js links/names  a file
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dirname, '..')
const GROUPS = join(ROOT, '.tap', 'groups')
/** As .taprc has them. */
const NODE_ARGS = ['--import=./scripts/typescript.js', '--import=./test/fixtures/warnings.js', '--no-warnings']

const SYSTEM = new RegExp([
  '^examples/', '^client/browser', '^links/unknown-names-memory', '^neighbours/caches',
  '^openapi/(?:browser|consumers|gateway)'
].join('|'))
/** Without these, --quick has the most telling tests of every room. */
const SLOW = new RegExp([
  '^boot/(?:forgotten-namespace|refused-declarations)', '^changes/(?:check|property)',
  '^check/(?!changes|details|report)', '^client/(?!fetch|notice|places\\.)', '^docs/(?!errors|links|options)',
  '^http/head', '^lifecycle/(?:headers|open-routes|report|successors)',
  '^links/(?:counterparts|forwarded-prefix|link-options|round-trip|self-links|unknown-names)',
  '^neighbours/(?!accepts|cors)', '^openapi/(?!namespaces|previews|which-routes)',
  '^requests/(?:invalid-version|problem-details|reads|served-in|served-version|vary)',
  '^routing/(?:property|refused|schemes)',
  '^schemes/(?:accept|lists-(?:contract|followed|in-pairs|links|model)|media-types)',
  '^variants/(?:crosses|ends|property|requests|responses|schemes|websocket)', '^wire/(?!inject|pipelining)'
].join('|'))
/**
 * It may require the package, which then has its modules in another form: coverage would take them for the same. It
 * takes long, too.
 */
const ALONE = /^docs\/snippets/
/** Each has a process for its files. They import undici, by which fetch() goes from then on. */
const APART = [/^client\/(?:adapters|schemes)/, /^docs\/client/]
/** These need the packed package: npm run check:package. */
const PACKAGE = /^package\//

const flag = { type: 'boolean', default: false }
const { values: { quick, system }, positionals } = parseArgs({
  allowPositionals: true, options: { quick: flag, system: flag }
})

/** In bytes of source, a measure of what a process has to do. */
const groupSize = quick ? 300_000 : 150_000
/** Their bytes cost twice as much. */
const COSTLY = /^(?:openapi|schemes)\//

const tests = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => file.endsWith('.test.ts') && !PACKAGE.test(file) && SYSTEM.test(file) === system)
  .filter((file) => !quick || !SLOW.test(file))
  .filter((file) => positionals.length === 0 || positionals.some((name) => (
    file.startsWith(`${name}/`) || file === `${name}.test.ts`
  )))
  .sort()
if (tests.length === 0) {
  console.error(`There are no tests in ${positionals.join(', ')}.`)
  process.exit(1)
}

const tap = createRequire(import.meta.url).resolve('tap/package.json')
if (!isBuilt()) {
  const runner = join(dirname(tap), createRequire(tap)('./package.json').bin.tap)
  spawnSync(process.execPath, [runner, 'build'], { cwd: ROOT, stdio: 'inherit' })
}
rmSync(GROUPS, { recursive: true, force: true })
mkdirSync(GROUPS, { recursive: true })
const waiting = groupsOf(tests).map((files, i) => () => run(files, fileOf(files, i)))
await Promise.all(Array.from({ length: system ? 1 : availableParallelism() }, async () => {
  while (waiting.length > 0) await waiting.shift()()
}))

/** Runs a group without tap's own runner, which reads every line of thirty thousand. What fails is printed. */
async function run (files, file) {
  const start = performance.now()
  const { status, output } = await outputOf(files, file)
  const [, plan] = /^1\.\.(\d+)/m.exec(output) ?? []
  const hasPassed = status === 0 && Number(plan) > 0
  const failed = output.split(/^(?=# Subtest: )/m).filter((part) => /^\s*not ok /m.test(part))
  if (!hasPassed) {
    process.exitCode = 1
    console.log(failed.length > 0 ? failed.join('') : output.slice(-5000))
  }
  report(hasPassed, `${basename(file, '.js').padEnd(30)} ${plan} tests`, start)
}

/** Through a file: tap writes each line by itself, and a pipe would make us read each one by itself. */
async function outputOf (files, file) {
  const path = `${file}.tap`
  const output = openSync(path, 'w')
  const env = { ...quick && { FEWER_TRIES: '20' }, ...process.env }
  // Node hands it on if it is not there.
  if (files.some((one) => ALONE.test(one))) env.NODE_V8_COVERAGE = undefined
  const stdio = ['ignore', output, 'inherit']
  const [status] = await once(spawn(process.execPath, [...NODE_ARGS, file], { cwd: ROOT, env, stdio }), 'close')
  closeSync(output)
  return { status, output: readFileSync(path, 'utf8') }
}

function report (hasPassed, what, start) {
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${hasPassed ? 'ok    ' : 'not ok'} ${what}, ${seconds} s`)
}

/** Whether tap was built without the plugins that .taprc leaves out. Afresh it has them, and building takes seconds. */
function isBuilt () {
  const built = join(dirname(createRequire(tap).resolve('@tapjs/test/package.json')), 'test-built', 'dist', 'esm')
  return !readFileSync(join(built, 'index.js'), 'utf8').includes('@tapjs/mock')
}

/** Groups of about the same size: what takes longest comes first. */
function groupsOf (tests) {
  const alone = tests.filter((file) => system || ALONE.test(file))
  const apart = APART.map((pattern) => tests.filter((file) => !system && pattern.test(file)))
    .filter((files) => files.length > 0)
  const groups = apart.map((files) => ({ files, size: groupSize }))
  for (const file of tests.filter((file) => ![alone, ...apart].flat().includes(file))) {
    const size = statSync(join(ROOT, 'test', file)).size * (COSTLY.test(file) ? 2 : 1)
    const last = groups.at(-1)
    if (last !== undefined && last.size + size <= groupSize) {
      last.files.push(file)
      last.size += size
    } else groups.push({ files: [file], size })
  }
  groups.sort((one, other) => other.size - one.size)
  return [...alone.map((file) => [file]), ...groups.map(({ files }) => files)]
}

function fileOf (files, i) {
  const folders = [...new Set(files.map((file) => dirname(file) === '.' ? 'test' : dirname(file).split('/')[0]))]
  const path = join(GROUPS, `${String(i + 1).padStart(2, '0')}-${folders.join('-')}.js`)
  const urls = files.map((file) => pathToFileURL(join(ROOT, 'test', file)).href)
  // One after the other, and tap waits: it would end while a file with await at its top level is loaded.
  writeFileSync(path, [
    "import t from 'tap'",
    `async function load () { for (const url of ${JSON.stringify(urls)}) await import(url) }`,
    't.waitOn(load())\n'
  ].join('\n'))
  return path
}
