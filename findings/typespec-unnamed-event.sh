#!/usr/bin/env bash
# @typespec/openapi3 1.16.0 with @typespec/sse 0.86.0: one event without a name makes the document of OpenAPI 3.2 refuse
# all events that have one. An unnamed variant of the union, which the library reads as a `message` event, becomes an
# alternative of `itemSchema` that says nothing of `event`. So a right `created` event matches two alternatives of
# `oneOf`, and is invalid. As `event` is required, the unnamed event is invalid as it is sent, without an `event` line.
# And `JsonlStream<Booking>` has no `itemSchema`, but `schema: { type: string }`, which says nothing of Booking. The
# compiler reports nothing.
# Guessed: an event that the source describes is right by the document, and a stream of lines has an item schema, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @typespec/compiler@1.16.0 @typespec/http@1.16.0 \
  @typespec/openapi@1.16.0 @typespec/openapi3@1.16.0 @typespec/streams@0.86.0 @typespec/events@0.86.0 \
  @typespec/sse@0.86.0 ajv@8.20.0 node@24.21.0
cat > main.tsp <<'TSP'
import "@typespec/http";
import "@typespec/events";
import "@typespec/sse";

using TypeSpec.Http;
using TypeSpec.Events;

@service(#{ title: "Bookings" })
namespace Bookings;

model Booking { guest: string }

@events
union Named { created: Booking }

@events
union WithUnnamed {
  created: Booking,

  { paid: boolean },
}

@route("/named") op named(): TypeSpec.SSE.SSEStream<Named>;
@route("/with-unnamed") op withUnnamed(): TypeSpec.SSE.SSEStream<WithUnnamed>;
@route("/lines") op lines(): TypeSpec.Http.Streams.JsonlStream<Booking>;
TSP
cat > tspconfig.yaml <<'YAML'
emit: ["@typespec/openapi3"]
options:
  "@typespec/openapi3": { openapi-versions: ["3.2.0"], file-type: json, emitter-output-dir: "{project-root}" }
YAML
node_modules/.bin/node node_modules/@typespec/compiler/cmd/tsp.js compile main.tsp > compiled.txt 2>&1
cat > run.js <<'JS'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'

const compiled = readFileSync('compiled.txt', 'utf8')
assert.doesNotMatch(compiled, /warning|error/)
const document = JSON.parse(readFileSync('openapi.json', 'utf8'))
const contentOf = (path) => Object.values(document.paths[path].get.responses[200].content)[0]
const ajv = new Ajv2020({ strict: false })

/** Which of these events are right for the schema of an event. */
function judge (path) {
  const validate = ajv.compile(contentOf(path).itemSchema)
  return {
    created: validate({ event: 'created', data: '{"guest":"Ada"}' }),
    'without a name': validate({ data: '{"paid":true}' }),
    message: validate({ event: 'message', data: '{"paid":true}' })
  }
}

const seen = {
  openapi: document.openapi,
  named: judge('/named'),
  withUnnamed: judge('/with-unnamed'),
  lines: contentOf('/lines')
}
console.log('@typespec/openapi3 1.16.0', seen)
assert.deepEqual(seen, {
  openapi: '3.2.0',
  named: { created: true, 'without a name': false, message: false },
  withUnnamed: { created: false, 'without a name': false, message: true },
  lines: { schema: { type: 'string' } }
})
JS
node_modules/.bin/node run.js
