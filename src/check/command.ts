import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { documentsOf } from './app.ts'
import { show } from './json.ts'
import { compare } from './operations.ts'
import { printable, rejected, summaryOf, toMarkdown, toTable } from './report.ts'

/** What a command prints, and how it ends. */
export interface Outcome {
  /** 0: done, and nothing breaks. 1: changes that are neither additions nor accepted. 2: the command failed. */
  readonly code: 0 | 1 | 2
  readonly output: string
  readonly errors: string
}

const USAGE = `Usage:
  fastify-versioning check <before> <after> [--accept <place>]... [--markdown]
  fastify-versioning documents <app> [--out <directory>]

check      compares two documents of OpenAPI, files or URLs of JSON. Ends with 1 if clients may fail
             --accept    a place whose changes are accepted, like '#/paths/~1bookings/get'; may be repeated
             --markdown  prints all changes as Markdown, and ends with 0
documents  writes the document of each version of an app
             --out       the directory, by default the current one

Ends with 2 if it cannot be done.
`
/** How long an answer may take, in milliseconds, and how many bytes it may have. */
const TIMEOUT = 30_000
const MOST_BYTES = 50_000_000

/**
 * Runs a command.
 *
 * @param args the arguments after `fastify-versioning`
 */
export async function run (args: readonly string[]): Promise<Outcome> {
  const [command, ...rest] = args
  if (args.includes('--help')) return { code: 0, output: USAGE, errors: '' }
  try {
    if (command === 'check') return await check(rest)
    if (command === 'documents') return await documents(rest)
    throw new UsageError(command === undefined ? 'Expected a command' : `There is no command ${show(command)}`)
  } catch (error) {
    const { message, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error))
    const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS_')
    const lines = message.split('\n').map(printable).join('\n')
    return { code: 2, output: '', errors: `${lines}\n${isUsage ? `\n${USAGE}` : ''}` }
  }
}

/** A mistake in the arguments of a command. */
class UsageError extends Error {}

async function check (args: string[]): Promise<Outcome> {
  const { positionals, values: { accept, markdown } } = parseArgs({
    args,
    options: { accept: { type: 'string', multiple: true }, markdown: { type: 'boolean' } },
    allowPositionals: true
  })
  const [before, after] = positionals
  if (before === undefined || after === undefined || positionals.length > 2) {
    throw new UsageError(`Expected two documents, got ${positionals.length}`)
  }
  const changes = compare(await read(before), await read(after))
  const failing = rejected(changes, accept)
  if (markdown === true) return { code: 0, output: toMarkdown(changes), errors: '' }
  if (failing.length > 0) return { code: 1, output: toTable(failing), errors: `${summaryOf(failing)}.\n` }
  return { code: 0, output: toTable(changes), errors: '' }
}

/** A document from a file or a URL. */
async function read (source: string): Promise<object> {
  const text = await (/^https?:\/\//i.test(source) ? download(source) : load(source))
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    const isYaml = /\.ya?ml(?:[?#]|$)/i.test(source) || /^\s*(?:openapi|---|%YAML)/.test(text)
    const hint = isYaml ? ': YAML is not read, but app.openapi() and the URL that ends with .json give JSON' : ''
    throw new Error(`Expected ${show(source)} to be JSON${hint}`)
  }
}

async function load (file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`Cannot read ${show(file)}: ${(error as Error).message}`)
  }
}

async function download (url: string): Promise<string> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', connection: 'close' }, signal: AbortSignal.timeout(TIMEOUT)
    })
    if (!response.ok) throw new Error(`the answer is ${response.status}`)
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  } catch (error) {
    const { message, cause } = error as Error
    throw new Error(`Cannot read ${show(url)}: ${cause instanceof Error ? cause.message : message}`)
  }
}

async function documents (args: string[]): Promise<Outcome> {
  const { positionals, values: { out = '.' } } = parseArgs({
    args, options: { out: { type: 'string' } }, allowPositionals: true
  })
  const [app] = positionals
  if (app === undefined || positionals.length > 1) {
    throw new UsageError(`Expected one app, got ${positionals.length}`)
  }
  const files = new Map<string, string>()
  for (const [version, document] of await documentsOf(app, TIMEOUT)) {
    const plain = version.replace(/[^\w.-]/g, '-')
    let name = `${plain}.json`
    for (let i = 2; files.has(name); i++) name = `${plain}-${i}.json`
    files.set(name, `${JSON.stringify(document, null, 2)}\n`)
  }
  await mkdir(out, { recursive: true })
  for (const [name, text] of files) await writeFile(join(out, name), text)
  const paths = [...files.keys()].map((name) => `${join(out, name)}\n`)
  return { code: 0, output: paths.join(''), errors: '' }
}
