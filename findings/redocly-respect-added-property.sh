#!/usr/bin/env bash
# @redocly/cli 2.77.0: `respect` takes each schema of a response as closed. A server that has added a property to v1,
# which breaks no client, fails the tests of v1 ("must NOT have unevaluated properties"), in OpenAPI 3.0 as in 3.1. The
# rule `no-invalid-media-type-examples` of `lint` is as strict by default, and has `allowAdditionalProperties: true`.
# With it, `lint` takes the same body as an example of the same schema. `respect` does not read the rule, and has no
# such option, only `--severity`, which silences the whole schema check. `additionalProperties: true` opens a single
# object, not what is in it.
# Guessed: a schema that says nothing is open, as in JSON Schema and OpenAPI, or one setting opens it for both commands.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @redocly/cli@2.77.0 node@24.21.0
cat > redocly.yaml <<'YAML'
rules:
  no-invalid-media-type-examples:
    severity: error
    allowAdditionalProperties: true
YAML
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const body = { guest: 'Ada', room: { id: 7, floor: 2 } }
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

/** An object that requires these properties, and what else it says of itself. */
const object = (properties, rest) => ({ type: 'object', required: Object.keys(properties), properties, ...rest })
const string = { type: 'string' }
const room = { id: { type: 'integer' } }
const open = { additionalProperties: true }
const schemas = {
  all: object({ guest: string, room: object({ ...room, floor: { type: 'integer' } }) }),
  'one is new': object({ guest: string, room: object(room) }),
  'one is new, open': object({ guest: string, room: object(room, open) }),
  'one is new, open outside': object({ guest: string, room: object(room) }, open),
  'one has another type': object({ guest: { type: 'integer' }, room: object(room, open) })
}

/** What a command prints, and the code with which it ends. */
async function run (...args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const child = spawn(process.execPath, ['node_modules/@redocly/cli/bin/cli.js', ...args], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data })
  const [code] = await once(child, 'close')
  return { code, output }
}

/** The codes of `lint` and `respect` for a document with this schema, and the property that is one too many. */
async function codes (schema, openapi) {
  const content = { 'application/json': { schema, example: body } }
  writeFileSync('openapi.json', JSON.stringify({
    openapi,
    info: { title: 'Bookings', version: '1' },
    servers: [{ url: `http://127.0.0.1:${server.address().port}` }],
    paths: { '/bookings/1': { get: { operationId: 'get', responses: { 200: { description: 'It', content } } } } }
  }))
  writeFileSync('bookings.arazzo.yaml', JSON.stringify({
    arazzo: '1.0.1',
    info: { title: 'Bookings', version: '1' },
    sourceDescriptions: [{ name: 'bookings', type: 'openapi', url: 'openapi.json' }],
    workflows: [{ workflowId: 'read', steps: [{ stepId: 'get', operationId: 'get' }] }]
  }))
  const lint = await run('lint', 'openapi.json')
  const respect = await run('respect', 'bookings.arazzo.yaml', '--verbose')
  const unevaluated = respect.output.match(/must NOT have unevaluated properties: "(\w+)"/)?.[1]
  return [lint.code, respect.code, ...unevaluated ? [unevaluated] : []]
}

const results = {}
for (const [name, schema] of Object.entries(schemas)) results[name] = await codes(schema, '3.1.0')
results['one is new, 3.0.3'] = await codes(schemas['one is new'], '3.0.3')
console.log('@redocly/cli 2.77.0, the codes of lint and respect:', results)
assert.deepEqual(results, {
  all: [0, 0],
  'one is new': [0, 1, 'floor'],
  'one is new, open': [0, 0],
  'one is new, open outside': [0, 1, 'floor'],
  'one has another type': [1, 1],
  'one is new, 3.0.3': [0, 1, 'floor']
})
process.exit()
JS
node_modules/.bin/node run.js
