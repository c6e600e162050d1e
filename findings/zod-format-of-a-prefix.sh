#!/usr/bin/env bash
# zod 4.6.7 with ajv 8.20.0 and fastify 5.12.8: `z.string().startsWith('v')` has the format `starts_with` in its JSON
# Schema, beside the pattern. `endsWith`, `includes`, `lowercase` and `uppercase` have such formats, too. Ajv does not
# know them, and throws in its default strict mode: an app with such a schema does not start. If a `regex` follows, the
# format is gone, and it compiles.
# Guessed: such a text has a pattern alone, as with `regex`, which says all of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact zod@4.6.7 ajv@8.20.0 fastify@5.12.8
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import Fastify from 'fastify'
import * as z from 'zod'

const tell = (promise) => promise.then(() => 'ok', (error) => error.message.match(/unknown format "\w+"/)[0])
const texts = {
  regex: z.string().regex(/^v/),
  startsWith: z.string().startsWith('v'),
  endsWith: z.string().endsWith('2'),
  includes: z.string().includes('.'),
  lowercase: z.string().lowercase(),
  uppercase: z.string().uppercase(),
  'startsWith, regex': z.string().startsWith('v').regex(/2$/),
  'startsWith, endsWith': z.string().startsWith('v').endsWith('2')
}
const told = {}
for (const [name, text] of Object.entries(texts)) {
  const querystring = z.toJSONSchema(z.object({ version: text }), { target: 'draft-07', io: 'input' })
  const app = Fastify()
  app.get('/', { schema: { querystring } }, async () => 'ok')
  told[name] = { ajv: await tell((async () => new Ajv().compile(querystring))()), fastify: await tell(app.ready()) }
}
console.log('zod 4.6.7', told)
const unknown = (format) => ({ ajv: `unknown format "${format}"`, fastify: `unknown format "${format}"` })
assert.deepEqual(told, {
  regex: { ajv: 'ok', fastify: 'ok' },
  startsWith: unknown('starts_with'),
  endsWith: unknown('ends_with'),
  includes: unknown('includes'),
  lowercase: unknown('lowercase'),
  uppercase: unknown('uppercase'),
  'startsWith, regex': { ajv: 'ok', fastify: 'ok' },
  'startsWith, endsWith': unknown('ends_with')
})
JS
node run.js
