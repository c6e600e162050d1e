#!/usr/bin/env bash
# actionhero 29.3.5: a client that names no `apiVersion` gets the latest version of an action, up to version 9. The
# versions, which may be numbers, are sorted as texts, so 10 stands before 2, and 9 stays the latest when 10, 11 and 12
# are added. No error, no warning: the new version is never served by default.
# Guessed: numbers are sorted as numbers, as the type of `version` is a number or a text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' > package.json
npm install --silent --no-audit --no-fund --save-exact --ignore-scripts actionhero@29.3.5 ioredis-mock@8.13.1 \
  ioredis@5.11.1
mkdir -p dist/actions dist/config log pids public
cat > dist/config/all.js <<'JS'
// The configuration of the package, with a Redis in memory.
const { readdirSync } = require('node:fs')
const { dirname, join } = require('node:path')

const folder = join(dirname(require.resolve('actionhero')), 'config')
const files = readdirSync(folder).filter((file) => file.endsWith('.js') && file !== 'routes.js')
const parts = files.map((file) => require(join(folder, file)))
exports.DEFAULT = Object.assign({}, ...parts.map((part) => part.DEFAULT))
exports.test = Object.assign({}, ...parts.map((part) => part.test))

const { general, redis } = exports.DEFAULT
exports.DEFAULT.general = (config) => {
  const settings = general(config)
  settings.paths = { ...settings.paths, action: [join(__dirname, '..', 'actions')], plugin: [] }
  return settings
}
exports.DEFAULT.routes = () => ({ get: [{ path: '/bookings', action: 'bookings' }] })
exports.DEFAULT.redis = (config) => {
  const settings = redis(config)
  for (const name of ['client', 'subscriber', 'tasks']) settings[name].konstructor = require('ioredis-mock')
  return settings
}
JS
cat > dist/actions/bookings.js <<'JS'
const { Action } = require('actionhero')

for (const version of [1, 2, 9, 10, 11]) {
  exports[`BookingsV${version}`] = class extends Action {
    name = 'bookings'
    description = 'The bookings'
    version = version
    outputExample = {}
    async run () { return { served: version } }
  }
}
JS
cat > run.js <<'JS'
process.env.NODE_ENV = 'test'
const assert = require('node:assert/strict')
const { Process, api, specHelper } = require('actionhero')

async function main () {
  const server = new Process()
  await server.start()
  const served = {}
  for (const apiVersion of [undefined, 9, 10, 11]) {
    served[apiVersion] = (await specHelper.runAction('bookings', apiVersion && { apiVersion })).served
  }
  console.log('actionhero 29.3.5', api.actions.versions.bookings, served)
  assert.deepEqual(api.actions.versions.bookings, [1, 10, 11, 2, 9])
  assert.deepEqual(served, { undefined: 9, 9: 9, 10: 10, 11: 11 })
  await server.stop()
  process.exit()
}

main()
JS
ACTIONHERO_TEST_SERVER=true ACTIONHERO_TYPESCRIPT_MODE=false node run.js
