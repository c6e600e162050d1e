import type { Answer } from './ask.ts'
import type { DetermineAnswer, ReverseAnswer, Vector, VectorRequest } from './vectors.ts'

/** Every answer that a vector accepts, in the form that `ask` gives. */
export function expectedOf (vector: Vector): Answer[] {
  switch (vector.kind) {
    case 'determine': {
      const answers = vector.expectAnyOf ?? [vector.expect]
      return answers.map((answer) => toResponse(answer, vector.request))
    }
    case 'reverse': {
      const { viaScheme, viaHelper } = vector.expect
      const links = { viaHelper: toLink(viaHelper), ...viaScheme && { viaScheme: toLink(viaScheme) } }
      return [{ status: 200, version: vector.requestVersion, ...links }]
    }
    default:
      return [{ ...vector.expect }]
  }
}

/** The answer without the differences that the vector leaves open. */
export function comparable (vector: Vector, answer: Answer): Answer {
  const entries = Object.entries(answer).map(([key, value]) => [key, comparableValue(vector, key, value)])
  return Object.fromEntries(entries)
}

const REFUSALS: Readonly<Record<string, readonly [status: number, error: string, code: string]>> = {
  NotAcceptable: [406, 'Not Acceptable', 'FST_ERR_VERSION_NOT_ACCEPTABLE'],
  NotFound: [404, 'Not Found', 'FST_ERR_VERSION_NOT_FOUND'],
  NotImplemented: [501, 'Not Implemented', 'FST_ERR_VERSION_NOT_IMPLEMENTED']
}

function toResponse (expected: DetermineAnswer, { method, url }: VectorRequest): Answer {
  if ('version' in expected) return { status: 200, version: expected.version }
  if (expected.error === 'RouteNotFound') {
    return { status: 404, statusCode: 404, error: 'Not Found', message: `Route ${method}:${url} not found` }
  }
  const { message } = expected
  // An error that no scheme makes is of an excluded vector.
  const [status, error, code] = REFUSALS[expected.error] ?? [expected.status, expected.error, null]
  return { status, statusCode: status, code, error, message }
}

function toLink (expected: ReverseAnswer): Answer {
  if ('path' in expected) return { path: expected.path }
  return { error: expected.error === 'NoReverseMatch' ? 'FST_ERR_NO_REVERSE_MATCH' : expected.error }
}

function comparableValue (vector: Vector, key: string, value: unknown): unknown {
  if (key === 'url' && typeof value === 'string') return comparableUrl(vector, value)
  if (typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string') {
    return { path: comparableUrl(vector, value.path) }
  }
  return value
}

/** A URL taken apart as far as its spelling is the host framework's matter. */
function comparableUrl ({ level, tags }: Vector, url: string): unknown {
  const [, path, query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? []
  return {
    path: level === 'host' ? path.split('/').map(decodeURIComponent) : path,
    query: comparableQuery(tags, query ?? ''),
    fragment: fragment ?? ''
  }
}

function comparableQuery (tags: readonly string[], query: string): unknown {
  const isSorted = tags.includes('sorted-query')
  if (!isSorted && !tags.includes('query-encoding')) return query
  const pairs = [...new URLSearchParams(query)].map((pair) => JSON.stringify(pair))
  return isSorted ? pairs.sort() : pairs
}
