// Runs the tests under another Node, which comes from npm: npm run test:node -- 24 [links, links/names, --system, …]
import process from 'node:process'

import { fail, nodeBinary, root, run, withPath } from './node-binary.js'

const [version, ...args] = process.argv.slice(2)
if (!/^\d+(?:\.\d+){0,2}$/.test(version ?? '')) fail(`Expected a version of Node, like 24, got ${version}.`)
const env = withPath(nodeBinary(version))

// Asked by its bare name, so that a PATH without effect is noticed.
const found = run('node', ['--version'], { env, encoding: 'utf8' }).stdout.trim()
if (found !== `v${version}` && !found.startsWith(`v${version}.`)) fail(`Expected Node ${version}, got ${found}.`)
console.log(`Node ${found}`)

run('node', ['scripts/test.js', ...args], { env, cwd: root, stdio: 'inherit' })
