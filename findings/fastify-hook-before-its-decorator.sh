#!/usr/bin/env bash
# fastify 5.12.8: a context that exists already gets the hooks that its parent adds later, but not the properties of
# requests and replies that the parent declares later. A plugin that does both then runs its hook on requests without
# its property: what the hook reads there is undefined, not the default value.
# Guessed: both are inherited, or neither of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact fastify@5.12.8
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import Fastify from 'fastify'

const app = Fastify()
const seen = {}
let child
await app.register(async (context) => {
  child = context
  context.get('/earlier', async () => 'ok')
})
app.decorateRequest('version', null)
app.decorateReply('link', null)
app.addHook('onRequest', async (request, reply) => {
  seen[request.url] = { version: request.version, link: reply.link }
})
app.get('/later', async () => 'ok')

for (const url of ['/earlier', '/later']) await app.inject(url)
console.log('fastify 5.12.8', seen, 'the earlier context has the decorator:', child.hasRequestDecorator('version'))
assert.deepEqual(seen, {
  '/earlier': { version: undefined, link: undefined }, '/later': { version: null, link: null }
})
assert.equal(child.hasRequestDecorator('version'), false)
JS
node run.js
