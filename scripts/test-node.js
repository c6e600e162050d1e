// Runs the tests under another Node, which comes from npm: npm run test:node -- 24 [files…]
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

import { fail, nodeBinary, root, run, withPath } from './node-binary.js'

const [version, ...files] = process.argv.slice(2)
if (!/^\d+(?:\.\d+){0,2}$/.test(version ?? '')) fail(`Expected a version of Node, like 24, got ${version}.`)
const env = withPath(nodeBinary(version))

// Asked by its bare name, so that a PATH without effect is noticed.
const found = run('node', ['--version'], { env, encoding: 'utf8' }).stdout.trim()
if (found !== `v${version}` && !found.startsWith(`v${version}.`)) fail(`Expected Node ${version}, got ${found}.`)
console.log(`Node ${found}`)

const tap = createRequire(import.meta.url).resolve('tap/package.json')
const runner = join(dirname(tap), createRequire(tap)('./package.json').bin.tap)
run('node', [runner, '--disable-coverage', ...files], { env, cwd: root, stdio: 'inherit' })
