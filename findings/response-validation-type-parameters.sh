#!/usr/bin/env bash
# @fastify/response-validation 3.0.4 with fastify 5.12.8: a schema under `application/json; version=v2` makes every
# response of the route a 500 ("No schema defined for media type application/json"), even one of exactly this type,
# because the key is compared with the type without its parameters. Without the plugin Fastify finds no schema either,
# and sends properties that the schema does not have, without an error. A vendor type is found by both.
# Guessed: a response of exactly this type is found, or parameters are left out on both sides.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8 @fastify/response-validation@3.0.4
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import responseValidation from '@fastify/response-validation'
import Fastify from 'fastify'

/** What is answered, with or without the plugin, by a route that has a schema for this type, and sends it. */
async function answers (type, plugin) {
  const app = Fastify()
  if (plugin) await app.register(plugin)
  const schema = { type: 'object', required: ['guest'], properties: { guest: { type: 'string' } } }
  const response = { 200: { description: 'A booking', content: { [type]: { schema } } } }
  app.get('/', { schema: { response } }, (request, reply) => reply.type(type).send({ guest: 'Ada', note: 'late' }))
  const { statusCode, body } = await app.inject('/')
  return statusCode === 200 ? body : [statusCode, JSON.parse(body).message]
}

const answered = {}
for (const type of ['application/json', 'application/json; version=v2', 'application/vnd.acme.v2+json']) {
  answered[type] = { fastify: await answers(type), plugin: await answers(type, responseValidation) }
}
console.log('@fastify/response-validation 3.0.4', answered)
const right = { fastify: '{"guest":"Ada"}', plugin: '{"guest":"Ada"}' }
assert.deepEqual(answered, {
  'application/json': right,
  'application/json; version=v2': {
    fastify: '{"guest":"Ada","note":"late"}',
    plugin: [500, 'No schema defined for media type application/json']
  },
  'application/vnd.acme.v2+json': right
})
JS
node run.js
