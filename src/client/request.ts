/** What `fetch` takes beside the URL. */
export type Init = NonNullable<Parameters<typeof globalThis.fetch>[1]>

/** The options of a call in an object of their own; a Request has them as what it inherits. */
export function fieldsIn (source: Init | Request = {}): Init {
  const fields: Record<string, unknown> = {}
  for (const name in source) {
    const value = source[name as keyof typeof source] as unknown
    if (value !== undefined) fields[name] = value
  }
  return fields
}

/** The options of a Request that goes to another URL. Its body is read from it, as `fetch` does. */
export async function fieldsOf (request: Request, init: Init = {}): Promise<Init> {
  const fields = { ...fieldsIn(request), ...fieldsIn(init), duplex: 'half' as const }
  fields.body = init.body ?? request.body
  // Browsers send a stream over HTTP/2 only, or they have none.
  const isBuffered = 'location' in globalThis && !init.body && request.body !== null
  if (isBuffered && !/^(GET|HEAD)$/.test(request.method)) fields.body = await request.arrayBuffer()
  return fields
}
