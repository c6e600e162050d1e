/** A Request to another URL. Its body is read from the given one, as `fetch` does. */
export async function moved (request: Request, url: string): Promise<Request> {
  const init: Record<string, unknown> = {}
  // A Request inherits what it has.
  for (const name in request) init[name] = request[name as keyof Request]
  init.duplex = 'half'
  if ('location' in globalThis) {
    // Browsers send a stream over HTTP/2 only, or not at all.
    const body = await request.arrayBuffer()
    init.body = body.byteLength ? body : null
  }
  return new (request.constructor as typeof Request)(url, init)
}
