// Runs the tests of test/, several files in one process: half of what a small file costs is the start of its process.
//
//   node scripts/test.js              all of them, without the tests of --system
//   node scripts/test.js --quick      without rooms that take long, and with few tries of property tests
//   node scripts/test.js --system     what needs a browser, a cache, other programs or the whole heap
//   node scripts/test.js links        a folder
//   node scripts/test.js links/names  a file
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
  '^examples/', '^client/browser', '^links/unknown-names-memory', '^neighbours/caches', '^openapi/(?:browser|gateway)'
].join('|'))
const SLOW = new RegExp([
  '^(?:check|client|conformance|docs|neighbours|openapi|wire)/', '^schemes/lists-(?:contract|in-pairs|links|property)',
  '^schemes/(?:accept-header|media-types)', '^requests/(?:invalid-version|served-version|vary)',
  '^(?:lifecycle/open-routes|links/round-trip|links/self-links|routing/property)',
  '^variants/(?:crosses|ends|requests|responses)'
].join('|'))
/** It changes its process: coverage is off, and modules are required. It takes long, too. */
const ALONE = /^docs\/snippets/
/** These need the packed package: npm run check:package. */
const PACKAGE = /^package\//

const flag = { type: 'boolean', default: false }
const { values: { quick, system }, positionals } = parseArgs({
  allowPositionals: true, options: { quick: flag, system: flag }
})

/** In bytes of source, a measure of what a process has to do. */
const groupSize = quick ? 200_000 : 80_000

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
const waiting = groupsOf(tests).map(fileOf).map((file) => () => run(file))
await Promise.all(Array.from({ length: system ? 1 : availableParallelism() }, async () => {
  while (waiting.length > 0) await waiting.shift()()
}))

/** Runs a group without tap's own runner, which reads every line of thirty thousand. What fails is printed. */
async function run (file) {
  const start = performance.now()
  const { status, output } = await outputOf([...NODE_ARGS, file], { ...quick && { FEWER_TRIES: '20' }, ...process.env })
  const [, plan] = /^1\.\.(\d+)/m.exec(output) ?? []
  const hasPassed = status === 0 && Number(plan) > 0
  const failed = output.split(/^(?=# Subtest: )/m).filter((part) => /^\s*not ok /m.test(part))
  if (!hasPassed) {
    process.exitCode = 1
    console.log(failed.length > 0 ? failed.join('') : output.slice(-5000))
  }
  report(hasPassed, `${basename(file, '.js').padEnd(20)} ${plan} tests`, start)
}

async function outputOf (args, env) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const output = Buffer.concat(await child.stdout.toArray()).toString()
  const [status] = await closed
  return { status, output }
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

/** Files of one folder, with --quick of several, in groups of about the same size: what takes longest comes first. */
function groupsOf (tests) {
  const groups = []
  for (const file of tests) {
    const { size } = statSync(join(ROOT, 'test', file))
    const folder = dirname(file)
    const last = groups.at(-1)
    const isAlone = system || [file, last?.files[0]].some((one) => ALONE.test(one))
    const isNear = last?.folder === folder || (quick && last !== undefined)
    if (!isAlone && isNear && last.size + size <= groupSize) {
      last.files.push(file)
      last.size += size
    } else groups.push({ folder, files: [file], size })
  }
  const costOf = ({ files, size }) => ALONE.test(files[0]) ? Infinity : size
  return groups.sort((one, other) => costOf(other) - costOf(one))
}

function fileOf ({ folder, files }, i) {
  const path = join(GROUPS, `${String(i + 1).padStart(2, '0')}-${folder === '.' ? 'test' : folder}.js`)
  const urls = files.map((file) => pathToFileURL(join(ROOT, 'test', file)).href)
  writeFileSync(path, urls.map((url) => `import ${JSON.stringify(url)}\n`).join(''))
  return path
}
