/** Returns what `fetch` reads from an object, including the inherited members of an instance such as a Request. */
export function membersOf<Given extends object> (given: Given | undefined): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const name in given) members[name] = given[name]
  return members
}

/**
 * Copies a Request to another URL. Its body is read first: a stream cannot be sent with `keepalive`, by browsers over
 * HTTP/1.1, or again after a redirect.
 *
 * @param hasOtherBody whether another body is sent, so that the body of the Request is not read
 */
export async function moved (request: Request, url: string, hasOtherBody?: boolean): Promise<Request> {
  const init = membersOf(request)
  // An ArrayBuffer is lost at redirects in Node 20 and 22; the type of the Blob, which a slice lacks, becomes a header.
  const body = hasOtherBody ? undefined : (await request.blob()).slice()
  init.body = body?.size ? body : null
  // As `fetch` does it: no Request can be made with the mode of a page load.
  if (init.mode === 'navigate') init.mode = 'same-origin'
  return new (request.constructor as typeof Request)(url, init)
}
