/** Whether it is a web response, as Fastify tells one, which may be of another realm or package. */
export function isResponse (payload: unknown): payload is Response {
  return typeof payload === 'object' && Object.prototype.toString.call(payload) === '[object Response]'
}

/** The same response with another value in a header; one that has been read is left as it is. */
export function withHeader (response: Response, name: string, value: string): Response {
  if (response.bodyUsed) return response
  const headers = new Headers(response.headers)
  headers.set(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
