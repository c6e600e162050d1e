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
  if (own === null || response.bodyUsed || response.body?.locked) return response
  const headers = new Headers(response.headers)
  headers.set(field, mergeInto(own))
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
