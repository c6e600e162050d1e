import assert from 'node:assert/strict'

import type { Block } from './pages.ts'

/** A request and its answer, as a page shows them. */
export interface Exchange { request: Message, method: string, url: string, status: number | null, answer: Message }

interface Message { headers: Record<string, string>, body: string }

/** The exchanges between a snippet and the next one. */
export function exchangesAfter (snippet: Block, blocks: readonly Block[]): Exchange[] {
  const next = blocks.slice(blocks.indexOf(snippet) + 1)
  const end = next.findIndex(({ language }) => language !== 'http' && language !== 'console')
  return next.slice(0, end === -1 ? undefined : end)
    .flatMap(({ language, text }) => language === 'http' ? [httpExchange(text)] : curlExchanges(text))
}

/** A block `http`: the method and the URL of a request, its headers, an empty line, and its answer. */
function httpExchange (text: string): Exchange {
  const at = text.search(/^HTTP\/1\.1 \d{3} /m)
  assert.ok(at > 0)
  const [method, url] = text.split(/\s/, 2)
  const status = Number(text.slice(at).split(' ', 2)[1])
  return { request: toMessage(text.slice(0, at)), method, url, status, answer: toMessage(text.slice(at)) }
}

/** A block `console`: commands `$ curl [-H header]… 'URL'`, each followed by the body of its answer. */
function curlExchanges (text: string): Exchange[] {
  return text.split(/^\$ /m).filter(Boolean).map((entry) => {
    const [command, ...body] = entry.trimEnd().split('\n')
    assert.match(command, /^curl( -H '[^']+')* '[^']+'$/)
    const quoted = [...command.matchAll(/'([^']+)'/g)].map(([, word]) => word)
    const { pathname, search } = new URL(quoted.at(-1) ?? '')
    return {
      request: { headers: toHeaders(quoted.slice(0, -1)), body: '' },
      method: 'GET',
      url: pathname + search,
      status: null,
      answer: { headers: {}, body: body.join('\n') }
    }
  })
}

/** What follows the first line of a request or an answer. */
function toMessage (text: string): Message {
  const [head, body = ''] = text.trimEnd().split('\n\n')
  return { headers: toHeaders(head.split('\n').slice(1)), body }
}

function toHeaders (lines: string[]): Record<string, string> {
  const separator = ': '
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf(separator)
    return [line.slice(0, at).toLowerCase(), line.slice(at + separator.length)]
  }))
}
