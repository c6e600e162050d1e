/** What `fetch` reads of an object: an instance, such as a Request, inherits it. */
export function membersOf<Given extends object> (given: Given | undefined): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const name in given) members[name] = given[name]
  return members
}

/** A Request to another URL. Its body is read from the given one, as `fetch` does. */
export async function moved (request: Request, url: string): Promise<Request> {
  const init = membersOf(request)
  init.duplex = 'half'
  if ('location' in globalThis) {
    // Browsers send a stream over HTTP/2 only, or not at all.
    const body = await request.blob()
    init.body = body.size ? body : null
  }
  return new (request.constructor as typeof Request)(url, init)
}
