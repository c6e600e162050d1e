#!/usr/bin/env bash
# typebox 1.4.3 with fastify 5.12.8: `Type.Partial`, `Required`, `Pick` and `Omit` lose `additionalProperties: false`.
# What is made of a closed schema is open: a PATCH with `Type.Partial(Booking)` lets a property through to its handler
# that POST with `Booking` takes out, and with `removeAdditional: false` a misspelt one is a 400 for POST, and a 200 for
# PATCH. A v2 that is made of v1 by `Omit` is open, too. All of them keep it in @sinclair/typebox 0.34.52, the package
# before this one, as it does for the other options. The types are the same, and no error tells it.
# Guessed: a mapped schema differs from its source in its properties alone, as before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact typebox@1.4.3 @sinclair/typebox@0.34.52 fastify@5.12.8
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { Type as OldType } from '@sinclair/typebox'
import Fastify from 'fastify'
import Type from 'typebox'

/** What is closed of what is made of a closed schema, and what POST and PATCH of two apps answer. */
async function seen (Type) {
  const Booking = Type.Object({ guest: Type.String(), room: Type.String() }, { additionalProperties: false })
  const made = {
    Booking,
    Partial: Type.Partial(Booking),
    Required: Type.Required(Booking),
    Pick: Type.Pick(Booking, ['guest']),
    Omit: Type.Omit(Booking, ['room'])
  }
  const answered = []
  for (const customOptions of [{}, { removeAdditional: false }]) {
    const fastify = Fastify({ ajv: { customOptions } })
    fastify.post('/', { schema: { body: made.Booking } }, ({ body }) => body)
    fastify.patch('/', { schema: { body: made.Partial } }, ({ body }) => body)
    for (const method of ['POST', 'PATCH']) {
      const { statusCode, payload } = await fastify.inject({
        method, url: '/', payload: { guest: 'Ada', room: '7', rooom: '8' }
      })
      answered.push(statusCode === 200 ? payload : statusCode)
    }
  }
  const closed = Object.keys(made).filter((name) => made[name].additionalProperties === false)
  return { closed, answered }
}

const results = { 'typebox 1.4.3': await seen(Type), '@sinclair/typebox 0.34.52': await seen(OldType) }
console.dir(results, { depth: null })
const removed = '{"guest":"Ada","room":"7"}'
const open = '{"guest":"Ada","room":"7","rooom":"8"}'
assert.deepEqual(results, {
  'typebox 1.4.3': { closed: ['Booking'], answered: [removed, open, 400, open] },
  '@sinclair/typebox 0.34.52': {
    closed: ['Booking', 'Partial', 'Required', 'Pick', 'Omit'],
    answered: [removed, removed, 400, 400]
  }
})
JS
node run.js
