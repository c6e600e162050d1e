#!/usr/bin/env bash
# TypeScript 5.9.3 and 6.0.3: the parser refuses a line break between a dot and a name that a word such as `in` follows,
# as esbuild 0.28.2 writes it with `--line-limit`. Node runs the file. `transpileModule`, and so ts-jest, makes a file
# of it that Node cannot parse, and reports nothing by default.
# Guessed: what is JavaScript for Node and for esbuild is JavaScript for TypeScript.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' > package.json
npm install --silent --no-audit --no-fund --save-exact typescript@5.9.3 typescript-6@npm:typescript@6.0.3 esbuild@0.28.2
printf 'console.log(typeof Symbol === "function" && Symbol.iterator in Object([]))\n' > source.js
npx esbuild source.js --minify-whitespace --line-limit=45 --outfile=built.js --log-level=warning
cat > run.cjs <<'JS'
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const { readFileSync } = require('node:fs')
const { Script } = require('node:vm')

const built = readFileSync('built.js', 'utf8')
assert.match(built, /Symbol\.\niterator in/)
assert.equal(execFileSync(process.execPath, ['built.js'], { encoding: 'utf8' }), 'true\n')
for (const name of ['typescript', 'typescript-6']) {
  const ts = require(name)
  const { outputText, diagnostics } = ts.transpileModule(built, { fileName: 'built.js' })
  console.log(name, ts.version, JSON.stringify(outputText))
  assert.deepEqual(diagnostics, [])
  assert.throws(() => new Script(outputText), SyntaxError)
}
JS
node run.cjs
