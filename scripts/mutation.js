// Changes the code in many small ways, and counts the changes that a test notices: npm run mutation -- schemes
//
// Stryker needs Node 22, so both come into .cache/ when they are first used: the project installs on Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { filesOf, reportOf, rooms } from './mutation.config.js'
import { cache, fail, install, nodeBinary, root, withPath } from './node-binary.js'

const VERSION = '10.0.0'
/** In per cent. */
const ENOUGH = 95
/** Where more changes only save time: mutation.md names them. */
const ENOUGH_IN = { lifecycle: 86, 'lifecycle/successors': 50 }

const asked = process.argv.slice(2)
for (const name of asked) {
  if (filesOf(name).length === 0) fail(`Expected a room or a file of src/, like schemes or vary, got ${name}.`)
}

const binary = nodeBinary('24')
const prefix = join(cache, `stryker-${VERSION}`)
const stryker = join(prefix, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
if (!existsSync(stryker)) {
  install(prefix, ['core', 'tap-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`), ['--ignore-scripts'])
}

const rows = (asked.length === 0 ? rooms : asked).map((name) => {
  const outcomes = filesOf(name).map(mutate)
  const sum = outcomes.reduce((sum, { noticed, all }) => ({ noticed: sum.noticed + noticed, all: sum.all + all }))
  return { name, ...sum, score: sum.all === 0 ? 100 : 100 * sum.noticed / sum.all }
})

console.log('\n| | changes | noticed | % |\n|---|---|---|---|')
for (const { name, all, noticed, score } of rows) console.log(`| ${name} | ${all} | ${noticed} | ${score.toFixed(1)} |`)
const poor = rows.filter(({ name, score }) => score < enoughIn(name))
for (const { name } of poor) console.error(`Fewer than ${enoughIn(name)} % were noticed in ${name}.`)
if (poor.length > 0) process.exitCode = 1

function enoughIn (name) {
  return ENOUGH_IN[name] ?? ENOUGH
}

/** Changes one file, so that the tests of its name come first: most changes are noticed by one of them. */
function mutate (file) {
  console.log(`\n${file}`)
  const env = {
    ...withPath(binary),
    MUTATION: file,
    FEWER_TRIES: '20',
    // The first test that fails ends its file: a report about each of hundreds takes long.
    TAP_BAIL: '1',
    NODE_COMPILE_CACHE: join(cache, 'compile')
  }
  const args = [stryker, 'run', 'scripts/mutation.config.js']
  const { status } = spawnSync(binary, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) fail(`Stryker failed on ${file}.`)
  const { files } = JSON.parse(readFileSync(`${reportOf(file)}.json`, 'utf8'))
  const found = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (...statuses) => found.filter((status) => statuses.includes(status)).length
  return { noticed: count('Killed', 'Timeout'), all: count('Killed', 'Timeout', 'Survived', 'NoCoverage') }
}
