// Runs the tests of test/, several files in one process: half of what a small file costs is the start of its process.
//
//   node scripts/test.js              all of them, without the tests of --system
//   node scripts/test.js --quick      without rooms that take long, and with few tries of property tests
//   node scripts/test.js --system     what needs a browser, a cache, other programs or the whole heap
//   node scripts/test.js links        a folder
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dirname, '..')
const GROUPS = join(ROOT, '.tap', 'groups')
/** In bytes of source, a measure of what a process has to do. */
const GROUP_SIZE = 60_000

const SYSTEM = /^(?:client\/browser|examples\/|links\/unknown-names-memory|neighbours\/caches|openapi\/browser)/
const SLOW = /^(?:check|client|conformance|docs|neighbours|openapi|wire)\/|^schemes\/(?:list-links|several)/
/** It changes its process: coverage is off, and modules are required. */
const ALONE = /^docs\/snippets/
/** These need the packed package: npm run check:package. */
const PACKAGE = /^package\//

const { values: { quick, system }, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, system: { type: 'boolean', default: false } }
})

const tests = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => file.endsWith('.test.ts') && !PACKAGE.test(file) && SYSTEM.test(file) === system)
  .filter((file) => !quick || !SLOW.test(file))
  .filter((file) => positionals.length === 0 || positionals.some((folder) => file.startsWith(`${folder}/`)))
  .sort()

rmSync(GROUPS, { recursive: true, force: true })
mkdirSync(GROUPS, { recursive: true })
const files = groupsOf(tests).map(fileOf)
const tap = createRequire(import.meta.url).resolve('tap/package.json')
const runner = join(dirname(tap), createRequire(tap)('./package.json').bin.tap)
if (!isBuilt()) spawnSync(process.execPath, [runner, 'build'], { cwd: ROOT, stdio: 'inherit' })
const env = quick ? { FEWER_TRIES: '20', ...process.env } : process.env
const args = [runner, '--disable-coverage', ...files]
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
process.exitCode = status ?? 1

/** Whether tap was built without the plugins that .taprc leaves out. Afresh it has them, and building takes seconds. */
function isBuilt () {
  const built = join(dirname(createRequire(tap).resolve('@tapjs/test/package.json')), 'test-built', 'dist', 'esm')
  return !readFileSync(join(built, 'index.js'), 'utf8').includes('@tapjs/mock')
}

/** Files of one folder, in groups of about the same size, the largest first. */
function groupsOf (tests) {
  const groups = []
  for (const file of tests) {
    const { size } = statSync(join(ROOT, 'test', file))
    const folder = dirname(file)
    const last = groups.at(-1)
    const isAlone = system || [file, last?.files[0]].some((one) => ALONE.test(one))
    if (!isAlone && last?.folder === folder && last.size + size <= GROUP_SIZE) {
      last.files.push(file)
      last.size += size
    } else groups.push({ folder, files: [file], size })
  }
  return groups.sort((one, other) => other.size - one.size)
}

function fileOf ({ folder, files }, i) {
  const path = join(GROUPS, `${String(i + 1).padStart(2, '0')}-${folder.replaceAll('/', '-')}.js`)
  const urls = files.map((file) => pathToFileURL(join(ROOT, 'test', file)).href)
  writeFileSync(path, urls.map((url) => `import ${JSON.stringify(url)}\n`).join(''))
  return path
}
