// The hooks of typescript.js. What they have compiled stays in .cache/ until the source changes.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)
const CACHE = new URL('.cache/typescript/', ROOT)
/** The package by its own name is its source, as in tsconfig.json. */
const SOURCES = {
  'fastify-versioning': 'src/index.ts',
  'fastify-versioning/check': 'src/check/index.ts',
  'fastify-versioning/client': 'src/client/index.ts',
  'fastify-versioning/openapi': 'src/openapi.ts'
}

const require = createRequire(import.meta.url)
const { version } = require('esbuild/package.json')
/** What the compiled text depends on besides the source. */
const OPTIONS = {
  loader: 'ts',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } }
}
const SALT = version + JSON.stringify(OPTIONS)

export function resolve (specifier, context, next) {
  if (!Object.hasOwn(SOURCES, specifier)) return next(specifier, context)
  return { url: new URL(SOURCES[specifier], ROOT).href, format: 'module', shortCircuit: true }
}

export function load (url, context, next) {
  const isOurs = /^file:[^?#]*\.m?ts(?:[?#]|$)/.test(url) && !url.includes('/node_modules/')
  return isOurs ? { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true } : next(url, context)
}

function compiled (path) {
  const text = readFileSync(path, 'utf8')
  const file = new URL(`${hashOf(path)}.js`, CACHE)
  // At the end, where it moves no line.
  const mark = `\n// ${hashOf([SALT, path, text].join('\0'))}\n`
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8')
    if (kept.endsWith(mark)) return kept
  }

  // Loaded only now: most starts need no compiler.
  const { code } = require('esbuild').transformSync(text, { ...OPTIONS, sourcefile: path })
  mkdirSync(CACHE, { recursive: true })
  // Renamed, so that no other process reads half of it.
  const unfinished = new URL(`${hashOf(path)}-${process.pid}`, CACHE)
  writeFileSync(unfinished, code + mark)
  renameSync(unfinished, file)
  return code + mark
}

function hashOf (text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
