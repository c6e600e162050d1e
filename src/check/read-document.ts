import { readFile } from 'node:fs/promises'

import { shortJson } from './json.ts'

/** The longest time that an answer may take, in milliseconds. */
const ANSWER_TIMEOUT = 30_000
/** The most characters that an answer may have. */
const LARGEST = 50_000_000

/** Reads a document from a file or a URL. */
export async function read (source: string): Promise<object> {
  let text
  try {
    text = await (/^https?:\/\//i.test(source) ? download(source) : readFile(source, 'utf8'))
  } catch (error) {
    const { name, message, cause } = error as Error
    const reason = name === 'TimeoutError' ? `no answer within ${ANSWER_TIMEOUT / 1000} seconds` : message
    throw new Error(`Cannot read ${shortJson(source)}: ${cause instanceof Error ? cause.message : reason}`)
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    const isYaml = /\.ya?ml(?:[?#]|$)/i.test(source) || /^\s*(?:openapi|---|%YAML)/.test(text)
    const isPage = /^\s*</.test(text)
    const hint = isYaml || isPage
      ? `: ${isPage ? 'a page' : 'YAML'} is not read, but app.openapi() and the URL that ends with .json give JSON`
      : ''
    throw new Error(`Expected ${shortJson(source)} to be JSON${hint}`)
  }
}

async function download (url: string): Promise<string> {
  const headers = { accept: 'application/json', connection: 'close' }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT) })
  if (!response.ok) throw new Error(`the answer is ${response.status}`)
  let text = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (text.length > LARGEST) throw new Error(`the answer has more than ${LARGEST / 1_000_000} MB`)
  }
  return text
}
