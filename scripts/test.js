// Runs the tests of test/, several files in one process: half of what a small file costs is the start of its process.
//
//   node scripts/test.js              all of them, but what is below
//   node scripts/test.js links        a folder
//   node scripts/test.js links/names  a file
//   node scripts/test.js system       compilers, generators of clients, the heap, PostgreSQL and Redis
//   node scripts/test.js gateways     nginx and Varnish, where they are installed
//   node scripts/test.js runtimes     the client in Node, Deno and Bun
//   node scripts/test.js browser      a real browser
//   node scripts/test.js platforms    NestJS, AWS Lambda, Platformatic
//   node scripts/test.js consumers    servers, generators and test runners that read the documents
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '..')
const GROUPS = join(ROOT, '.tap', 'groups')
/** As .taprc has them. */
const NODE_ARGS = ['--import=tsx', '--import=./test/fixtures/warnings.js', '--no-warnings']
/** It needs the packed package: npm run check:package. */
const PACKAGE = 'package/'
/** They start other programs, or take long, and run if they are named: npm run test:system. */
const SYSTEM = /^(?:browser|consumers|gateways|platforms|runtimes|system)\//
/** In characters of source, a measure of what a process has to do. */
const GROUP_SIZE = 150_000
/** What the first line of a test begins with that cannot share a process, and would spoil coverage. */
const ALONE = '// Alone in its process'

const names = process.argv.slice(2)
const tests = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith(PACKAGE))
  .filter((file) => names.length === 0
    ? !SYSTEM.test(file)
    : names.some((name) => file.startsWith(`${name}/`) || file === `${name}.test.ts`))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(ROOT, 'test', file), 'utf8') }))
if (tests.length === 0) fail(`There are no tests in ${names.join(', ')}.`)

const begin = performance.now()
buildTap()
rmSync(GROUPS, { recursive: true, force: true })
mkdirSync(GROUPS, { recursive: true })
const waiting = groupsOf(tests)
const running = new Set()
process.on('SIGTERM', () => process.exit(1))
process.on('exit', () => { for (const child of running) child.kill() })
const failed = []
let passed = 0
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await run(group)
}))
const seconds = Math.round((performance.now() - begin) / 1000)
if (failed.length > 0) {
  const again = failed.map((file) => file.replace('.test.ts', '')).join(' ')
  const list = failed.map((file) => `  test/${file}`).join('\n')
  fail(`\nFailed after ${seconds} s:\n${list}\nRun them again: node scripts/test.js ${again}`)
}
console.log(`${passed.toLocaleString('en')} tests passed in ${tests.length} files, ${seconds} s.`)

/** Without the plugins that .taprc leaves out. When it is new it has them, and building takes seconds. */
function buildTap () {
  const tap = createRequire(import.meta.url).resolve('tap/package.json')
  const built = join(dirname(createRequire(tap).resolve('@tapjs/test/package.json')), 'test-built', 'dist', 'esm')
  if (!readFileSync(join(built, 'index.js'), 'utf8').includes('@tapjs/mock')) return
  const runner = join(dirname(tap), createRequire(tap)('./package.json').bin.tap)
  spawnSync(process.execPath, [runner, 'build'], { cwd: ROOT, stdio: 'inherit' })
}

/** Groups of about the same size: what takes longest comes first. */
function groupsOf (tests) {
  const groups = []
  for (const { file, text } of tests) {
    const isAlone = text.startsWith(ALONE)
    const last = groups.findLast((group) => !group.isAlone)
    if (isAlone || last === undefined || last.size + text.length > GROUP_SIZE) {
      groups.push({ files: [file], isAlone, size: isAlone ? GROUP_SIZE : text.length })
    } else {
      last.files.push(file)
      last.size += text.length
    }
  }
  return groups.sort((a, b) => b.size - a.size)
}

/** Runs a group without tap's own runner, which reads every line of thirty thousand. What fails is printed. */
async function run ({ files, isAlone }) {
  const [first, last] = [files[0], files.at(-1)].map((file) => file.replace('.test.ts', ''))
  const [script, report] = ['.js', '.tap'].map((extension) => join(GROUPS, first.replaceAll('/', '-') + extension))
  writeFileSync(script, scriptOf(files))
  // Through a file: tap writes each line by itself, and a pipe would make us read each one by itself.
  const output = openSync(report, 'w')
  // Node hands it on if it is not there.
  const env = { TAP_TIMEOUT: '900', ...process.env, ...isAlone && { NODE_V8_COVERAGE: undefined } }
  const stdio = ['ignore', output, 'inherit']
  const child = spawn(process.execPath, [...NODE_ARGS, script], { cwd: ROOT, env, stdio })
  running.add(child)
  const [status] = await once(child, 'close')
  running.delete(child)
  closeSync(output)

  const text = readFileSync(report, 'utf8')
  const parts = text.split(/^# (?=\S+\.test\.ts$)/m).slice(1)
  const red = parts.filter((part) => /^not ok /m.test(part))
  const count = parts.flatMap((part) => part.match(/^ok /gm) ?? []).length
  passed += count
  if (status === 0 && count > 0) return console.log(`ok ${count} tests from ${first} to ${last}`)
  const tests = red.flatMap((part) => part.split(/^(?=# Subtest: )/m).filter((test) => /^not ok /m.test(test)))
  console.log(tests.length > 0 ? tests.join('') : text.slice(-5000))
  failed.push(...red.length > 0 ? red.map((part) => part.slice(0, part.indexOf('\n'))) : files)
}

/** One file after the other, and tap waits: it would end while a file with await at its top level is loaded. */
function scriptOf (files) {
  const urls = files.map((file) => [file, pathToFileURL(join(ROOT, 'test', file)).href])
  return `import t from 'tap'
async function load () {
  for (const [file, url] of ${JSON.stringify(urls)}) {
    t.comment(file)
    await import(url).catch((error) => t.fail('the file loads', error))
  }
}
t.waitOn(load())
`
}

function fail (message) {
  console.error(message)
  process.exit(1)
}
