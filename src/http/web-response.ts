import type { Members } from './headers.ts'

/** Whether it is a web response, as Fastify tells one, which may be of another realm or package. */
export function isResponse (payload: unknown): payload is Response {
  return typeof payload === 'object' && Object.prototype.toString.call(payload) === '[object Response]'
}

/**
 * A web response with what a header of its own is to hold: Fastify copies its headers over those of the reply. If its
 * body is in use, Fastify refuses it, and it stays as it is.
 */
export function completeResponse (response: Response, { field, mergeInto }: Members): Response {
  const own = response.headers.get(field)
  return own === null ? response : withHeader(response, field, mergeInto(own))
}

/** The same response with another value in a header, unless its body is in use. */
export function withHeader (response: Response, name: string, value: string): Response {
  if (response.bodyUsed || response.body?.locked) return response
  const headers = new Headers(response.headers)
  headers.set(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
