#!/usr/bin/env bash
# cloudevents 10.0.0: data under `application/vnd.acme.v2+json` or `application/json; version=v2` arrives as a text in
# binary mode, so `event.data.guest` is undefined. The same event in structured mode has an object, and so has binary
# mode with `application/json; charset=utf-8`. The SDK itself writes such an event from an object.
# Guessed: +json and parameters are JSON in both modes, as they are when it writes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact cloudevents@10.0.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { CloudEvent, HTTP } from 'cloudevents'

/** What arrives of an event with this type, in both modes. */
function arrives (datacontenttype) {
  const event = new CloudEvent({ type: 'booking.made', source: '/', datacontenttype, data: { guest: 'Ada' } })
  return [HTTP.binary(event), HTTP.structured(event)].map((message) => HTTP.toEvent(message).data)
}

const types = [
  'application/json', 'application/json; charset=utf-8', 'application/json; version=v2', 'application/vnd.acme.v2+json'
]
const arrived = Object.fromEntries(types.map((type) => [type, arrives(type)]))
console.log('cloudevents 10.0.0, [binary, structured]:', arrived)
const data = { guest: 'Ada' }
const text = '{"guest":"Ada"}'
assert.deepEqual(arrived, {
  'application/json': [data, data],
  'application/json; charset=utf-8': [data, data],
  'application/json; version=v2': [text, data],
  'application/vnd.acme.v2+json': [text, data]
})
JS
node run.js
