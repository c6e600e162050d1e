// Makes small mistakes in the sources, one at a time, and counts those that no test notices:
//
//   node scripts/mutation.js --count 100 --seed 7 src/links src/paths -- links paths
//
// The mistakes are drawn by the seed: the same sources have the same ones, whatever the tests are. After `--` come the
// tests, as scripts/test.js takes them. They must pass without a mistake.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

import ts from 'typescript'

const ROOT = resolve(import.meta.dirname, '..')
/** A mistake may make a loop without end. */
const PATIENCE_MS = 300_000

const split = process.argv.indexOf('--')
const mine = process.argv.slice(2, split < 0 ? undefined : split)
const tests = split < 0 ? [] : process.argv.slice(split + 1)
const { values: { count, seed }, positionals } = parseArgs({
  args: mine,
  options: { count: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true
})

const OTHER = new Map([
  ['===', '!=='], ['!==', '==='], ['<', '<='], ['<=', '<'], ['>', '>='], ['>=', '>'], ['&&', '||'], ['||', '&&'],
  ['??', '&&'], ['+', '-'], ['-', '+'], ['true', 'false'], ['false', 'true']
])

const sources = (positionals.length === 0 ? ['src'] : positionals).flatMap(filesIn).sort()
const mistakes = drawn(sources.flatMap(mistakesIn), Number(count), Number(seed))
const survivors = []
for (const [i, mistake] of mistakes.entries()) {
  const isNoticed = await notices(mistake)
  if (!isNoticed) survivors.push(mistake)
  console.log(`${i + 1}/${mistakes.length} ${isNoticed ? 'noticed ' : 'SURVIVED'} ${nameOf(mistake)}`)
}
console.log(`\n${mistakes.length - survivors.length} of ${mistakes.length} noticed. Survivors:`)
for (const mistake of survivors) console.log(`  ${nameOf(mistake)}`)

function filesIn (path) {
  if (statSync(join(ROOT, path)).isFile()) return [path]
  return readdirSync(join(ROOT, path), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
}

/** Every mistake that could be made in a file: `start`, `end`, and the text that comes between. */
function mistakesIn (file) {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const add = (node, other) => {
    const start = node.getStart()
    const line = source.getLineAndCharacterOfPosition(start).line + 1
    found.push({ file, start, end: node.end, other, line, text: node.getText() })
  }
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isBinaryExpression(node) && OTHER.has(node.operatorToken.getText())) {
      add(node.operatorToken, OTHER.get(node.operatorToken.getText()))
    } else if (ts.isToken(node) && [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.kind)) {
      add(node, OTHER.get(node.getText()))
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText())
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      add(node.expression ?? node.condition, 'true')
      add(node.expression ?? node.condition, 'false')
    } else if (ts.isExpressionStatement(node)) add(node, '{}')
    else if (ts.isReturnStatement(node) && node.expression !== undefined) add(node.expression, 'undefined as never')
    else if (ts.isStringLiteral(node) && node.text !== '') add(node, "''")
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Some of the mistakes, in an order that the seed gives (mulberry32). */
function drawn (all, count, seed) {
  let state = seed
  const next = () => {
    state = state + 0x6d2b79f5 | 0
    let t = Math.imul(state ^ state >>> 15, 1 | state)
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t
    return ((t ^ t >>> 14) >>> 0) / 4294967296
  }
  return all.map((mistake) => ({ mistake, key: next() }))
    .sort((one, other) => one.key - other.key).slice(0, count).map(({ mistake }) => mistake)
}

async function notices ({ file, start, end, other }) {
  const path = join(ROOT, file)
  const text = readFileSync(path, 'utf8')
  const stop = () => {
    writeFileSync(path, text)
    process.exit(1)
  }
  process.once('SIGINT', stop)
  writeFileSync(path, text.slice(0, start) + other + text.slice(end))
  // The first test that fails ends its file, and the run.
  const env = { ...process.env, TAP_BAIL: '1', FEWER_TRIES: '20' }
  const args = ['scripts/test.js', '--bail', ...tests]
  const run = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore', timeout: PATIENCE_MS })
  const [status] = await once(run, 'close')
  writeFileSync(path, text)
  process.off('SIGINT', stop)
  return status !== 0
}

function nameOf ({ file, line, text, other }) {
  const short = text.replaceAll(/\s+/g, ' ')
  return `${file}:${line} ${short.length > 60 ? `${short.slice(0, 57)}...` : short} → ${other}`
}
