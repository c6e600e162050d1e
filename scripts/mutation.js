// Changes the code in many small ways, and counts the changes that a test notices: npm run mutation -- schemes
// Stryker needs Node 22, so both come into .cache/ when they are first used: the project installs on Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

import { filesOf, rooms } from './mutation.config.js'
import { cache, fail, install, nodeBinary, root, withPath } from './node-binary.js'

const VERSION = '10.0.0'

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

const failed = (asked.length === 0 ? rooms : asked).filter((name) => {
  console.log(`\n${name}: ${filesOf(name).join(' ')}`)
  const env = { ...withPath(binary), MUTATION: name, NODE_COMPILE_CACHE: join(cache, 'compile') }
  const args = [stryker, 'run', 'scripts/mutation.config.js']
  return spawnSync(binary, args, { cwd: root, env, stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) fail(`Too few changes were noticed in ${failed.join(', ')}.`)
