#!/usr/bin/env bash
# massimo 1.5.3 with massimo-cli 1.5.3: with `--full=false` a method returns the body. If an operation has two responses
# of success, it returns status, headers and body, and so do all operations after it in the document. A version that
# adds a 202 to one operation changes what the others return, by the order of the paths. The generated types, which are
# made for each operation alone, still say that it is the body, so `tsc` finds nothing, and `room.name` is undefined.
# Guessed: what a document says of one operation changes this one; or the types change with the others, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact massimo@1.5.3 massimo-cli@1.5.3 node@24.21.0
cat > write.js <<'JS'
import { writeFileSync } from 'node:fs'

const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
const responses = { 200: { description: 'One', content: { 'application/json': { schema } } } }
const get = (operationId, more) => ({ get: { operationId, responses: { ...responses, ...more } } })
for (const [name, more] of [['v1', {}], ['v2', { 202: { description: 'Not yet' } }]]) {
  writeFileSync(`${name}.json`, JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Bookings', version: name },
    paths: { '/guest': get('getGuest'), '/booking': get('getBooking', more), '/room': get('getRoom') }
  }))
}
JS
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Ada"}')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${server.address().port}`

const returned = {}
for (const version of ['v1', 'v2']) {
  const types = readFileSync(`${version}/${version}.d.ts`, 'utf8')
  const { default: generate } = await import(`./${version}/${version}.mjs`)
  const client = await generate({ url })
  returned[version] = {}
  for (const name of ['Guest', 'Booking', 'Room']) {
    const type = types.split(`export type Get${name}Responses =`)[1].split('export')[0]
    const result = await client[`get${name}`]({})
    returned[version][name] = [type.includes('FullResponse') ? 'typed full' : 'typed body', Object.keys(result).join()]
  }
}
console.log('massimo 1.5.3, massimo-cli 1.5.3', returned)
const body = ['typed body', 'name']
assert.deepEqual(returned, {
  v1: { Guest: body, Booking: body, Room: body },
  v2: {
    Guest: body,
    Booking: ['typed full', 'statusCode,headers,body'],
    Room: ['typed body', 'statusCode,headers,body']
  }
})
process.exit()
JS
node write.js
for version in v1 v2; do
  node_modules/.bin/node node_modules/massimo-cli/index.js $version.json --name $version --folder $version --full=false
done
node_modules/.bin/node run.js
