#!/usr/bin/env bash
# @graphql-tools/url-loader 9.1.14 with graphql 17.1.0: a schema that is loaded from a URL lacks the arguments and the
# input fields that are deprecated; deprecated fields and values of enums are in it. So @graphql-inspector/core 8.0.0
# calls it breaking that an argument becomes deprecated, if it compares what two servers have, and a query of an older
# client, which the server still answers, is invalid for code generators. The same change in two files is non-breaking.
# Guessed: what is deprecated is loaded, as all of it can be asked for, or none of it is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact graphql@17.1.0 @graphql-tools/url-loader@9.1.14 \
  @graphql-inspector/core@8.0.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { diff } from '@graphql-inspector/core'
import { UrlLoader } from '@graphql-tools/url-loader'
import { buildSchema, graphql, parse, validate } from 'graphql'

const schemaOf = (mark) => buildSchema(`
  type Query { bookings(guest: String ${mark}, where: Where): [Booking] }
  input Where { room: String ${mark}, floor: Int }
  type Booking { id: ID, room: String ${mark} }
`)

/** The schema that the loader makes of a server with this schema. */
async function load (schema) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { query, variables } = JSON.parse(body)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(await graphql({ schema, source: query, variableValues: variables })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [loaded] = await new UrlLoader().load(`http://127.0.0.1:${server.address().port}/`, {})
  return loaded.schema
}

async function levels (before, after) {
  const changes = await diff(before, after)
  return changes.filter(({ type }) => !/DIRECTIVE/.test(type)).map(({ criticality, path, type }) =>
    `${criticality.level} ${type} ${path.replace('.@deprecated', '')}`)
}

const [before, after] = [schemaOf(''), schemaOf('@deprecated(reason: "See /docs/v2")')]
const [loadedBefore, loadedAfter] = [await load(before), await load(after)]
const seen = {
  arguments: loadedAfter.getQueryType().getFields().bookings.args.map(({ name }) => name).join(),
  'input fields': Object.keys(loadedAfter.getType('Where').getFields()).join(),
  fields: Object.keys(loadedAfter.getType('Booking').getFields()).join()
}
const query = parse('{ bookings(guest: "Ada") { room } }')
const changes = { files: await levels(before, after), urls: await levels(loadedBefore, loadedAfter) }
const errors = [after, loadedAfter].map((schema) => validate(schema, query).map(({ message }) => message))
console.log('@graphql-tools/url-loader 9.1.14', seen, changes, errors)
assert.deepEqual(seen, { arguments: 'where', 'input fields': 'floor', fields: 'id,room' })
assert.deepEqual(changes, {
  files: ['NON_BREAKING FIELD_DEPRECATION_ADDED Booking.room'],
  urls: [
    'BREAKING FIELD_ARGUMENT_REMOVED Query.bookings.guest',
    'BREAKING INPUT_FIELD_REMOVED Where.room',
    'NON_BREAKING FIELD_DEPRECATION_ADDED Booking.room'
  ]
})
assert.deepEqual(errors, [[], ['Unknown argument "guest" on field "Query.bookings".']])
process.exit()
JS
node_modules/.bin/node run.js
