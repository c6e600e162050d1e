#!/usr/bin/env bash
# @asyncapi/bundler 1.0.2: two documents that have a channel with the same key are merged into a message that neither of
# them describes. Lists are merged item by item. `required: ["guest", "room"]` of v1 and `required: ["guests"]` of v2
# are `["guests", "room"]`, so neither a right message of v1 nor one of v2 is valid. An enum of three values in v1 and
# of one in v2 keeps the second and the third of v1. The title and the address are those of v2. There is no warning, and
# nobody notices it as long as v2's lists are not shorter than v1's.
# Guessed: the message of the last file replaces the first one, or two values for one key are an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @asyncapi/bundler@1.0.2 ajv@8.20.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import bundle from '@asyncapi/bundler'
import Ajv from 'ajv'

const text = { type: 'string' }
const payloads = {
  v1: {
    type: 'object',
    required: ['guest', 'room'],
    properties: { guest: text, room: text, state: { enum: ['open', 'paid', 'closed'] } }
  },
  v2: { type: 'object', required: ['guests'], properties: { guests: { type: 'array' }, state: { enum: ['booked'] } } }
}
const right = { v1: { guest: 'Ada', room: '7', state: 'open' }, v2: { guests: ['Ada'], state: 'booked' } }
for (const [version, payload] of Object.entries(payloads)) {
  writeFileSync(`${version}.yaml`, JSON.stringify({
    asyncapi: '3.0.0',
    info: { title: `Bookings ${version}`, version },
    channels: { bookings: { address: `bookings.${version}`, messages: { created: { payload } } } }
  }))
}

const { info, channels } = JSON.parse((await bundle(['v1.yaml', 'v2.yaml'])).string())
const { payload } = channels.bookings.messages.created
const merged = {
  title: info.title,
  address: channels.bookings.address,
  required: payload.required.join(),
  states: payload.properties.state.enum.join(),
  properties: Object.keys(payload.properties).join(),
  right: Object.keys(right).filter((version) => new Ajv().validate(payload, right[version]))
}
console.log('@asyncapi/bundler 1.0.2', merged)
for (const version of Object.keys(right)) assert.ok(new Ajv().validate(payloads[version], right[version]))
assert.deepEqual(merged, {
  title: 'Bookings v2',
  address: 'bookings.v2',
  required: 'guests,room',
  states: 'booked,paid,closed',
  properties: 'guest,room,state,guests',
  right: []
})
JS
node_modules/.bin/node run.js
