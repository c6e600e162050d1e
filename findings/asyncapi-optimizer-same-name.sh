#!/usr/bin/env bash
# @asyncapi/optimizer 2.0.0 with @asyncapi/parser 3.6.6: by default, messages of two channels become one message if
# they have the same key. If the channels of v1 and v2 both have a message `created`, the last one in the document is
# moved to `components.messages.created`, and both channels refer to it: v1 is documented with v2's payload. Schemas are
# moved by the bare name of their property. If the `id` of a booking is an integer, and that of its guest is a text,
# both are integers. The result is a valid document, and there is no warning. With `moveAllToComponents: false` each
# channel keeps its message.
# Guessed: only what is equal is shared, or the second one gets another name, as an optimizer changes no meaning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @asyncapi/optimizer@2.0.0 @asyncapi/parser@3.6.6 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { Optimizer } from '@asyncapi/optimizer'
import { Parser } from '@asyncapi/parser'

const object = (properties) => ({ type: 'object', required: Object.keys(properties), properties })
const integer = { type: 'integer' }
const string = { type: 'string' }
const payloads = {
  v1: object({ id: integer, guest: object({ id: string }) }),
  v2: object({ id: string, guests: { type: 'array' } })
}

/** The payloads of these versions in the optimized document, as a parser reads it. */
async function payloadsOf (versions, options) {
  const document = { asyncapi: '3.0.0', info: { title: 'Bookings', version: '2' }, channels: {}, operations: {} }
  for (const version of versions) {
    const $ref = `#/channels/${version}`
    document.channels[version] = { address: version, messages: { created: { payload: payloads[version] } } }
    document.operations[`send-${version}`] = { action: 'send', channel: { $ref } }
  }
  const optimizer = new Optimizer(JSON.stringify(document))
  await optimizer.getReport()
  const parsed = await new Parser().parse(optimizer.getOptimizedDocument(options))
  assert.equal(parsed.diagnostics.filter(({ severity }) => severity === 0).length, 0)
  const channels = parsed.document.channels().all()
  return Object.fromEntries(channels.map((channel) => {
    const { required, properties } = channel.messages().get('created').payload().json()
    const types = { id: properties.id.type }
    if (properties.guest) types['guest.id'] = properties.guest.properties.id.type
    return [channel.address(), { required: required.join(), ...types }]
  }))
}
const read = {
  both: await payloadsOf(['v1', 'v2']),
  'v1 alone': await payloadsOf(['v1']),
  'moveAllToComponents: false': await payloadsOf(['v1', 'v2'], { rules: { moveAllToComponents: false } })
}
console.log('@asyncapi/optimizer 2.0.0', read)
const v1 = { required: 'id,guest', id: 'integer', 'guest.id': 'string' }
const v2 = { required: 'id,guests', id: 'string' }
assert.deepEqual(read, {
  both: { v1: v2, v2 },
  'v1 alone': { v1: { ...v1, 'guest.id': 'integer' } },
  'moveAllToComponents: false': { v1, v2 }
})
JS
node_modules/.bin/node run.js
