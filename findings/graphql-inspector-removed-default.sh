#!/usr/bin/env bash
# @graphql-inspector/core 8.0.0 with graphql 17.1.0: if `first: Int! = 10` becomes `first: Int!`, the change is only
# dangerous, although each query without the argument, which was right, is an error from then on. If `first: Int!` is
# added, it is breaking. The same goes for fields of input types. `findBreakingChanges` of graphql finds neither.
# Guessed: the default of a required argument makes it optional, so it is breaking to remove it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact graphql@17.1.0 @graphql-inspector/core@8.0.0 node@24.21.0
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { diff } from '@graphql-inspector/core'
import { buildSchema, findBreakingChanges, graphql } from 'graphql'

/** Whether queries that leave out `first` are errors before and after, and what both say of the change. */
async function judge (schemaOf, query, ...texts) {
  const [before, after] = texts.map(schemaOf)
  const results = await Promise.all([before, after].map((schema) => graphql({ schema, source: query })))
  return {
    errors: results.map(({ errors }) => errors !== undefined),
    inspector: (await diff(before, after)).map(({ criticality }) => criticality.level).join(),
    graphql: findBreakingChanges(before, after).map(({ type }) => type).join()
  }
}

const argument = (first) => buildSchema(`type Query { bookings(${first}): Int }`)
const field = (first) => buildSchema(`input Page { ${first} } type Query { bookings(page: Page): Int }`)
const [all, page] = ['{ bookings }', '{ bookings(page: {}) }']
const judged = {
  'argument without its default': await judge(argument, all, 'first: Int! = 10', 'first: Int!'),
  'argument that is added': await judge(argument, all, 'floor: Int', 'floor: Int, first: Int!'),
  'field without its default': await judge(field, page, 'first: Int! = 10', 'first: Int!'),
  'field that is added': await judge(field, page, 'floor: Int', 'floor: Int, first: Int!')
}
console.log('@graphql-inspector/core 8.0.0, graphql 17.1.0', judged)
const errors = [false, true]
assert.deepEqual(judged, {
  'argument without its default': { errors, inspector: 'DANGEROUS', graphql: '' },
  'argument that is added': { errors, inspector: 'BREAKING', graphql: 'REQUIRED_ARG_ADDED' },
  'field without its default': { errors, inspector: 'DANGEROUS', graphql: '' },
  'field that is added': { errors, inspector: 'BREAKING', graphql: 'REQUIRED_INPUT_FIELD_ADDED' }
})
JS
node_modules/.bin/node run.js
