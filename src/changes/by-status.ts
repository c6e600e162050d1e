/** What applies to a status and a media type. */
export interface Entry<Value> {
  /** 404, or 4 for '4xx', or 0 for 'default'. */
  readonly status: number
  /** Null for the media types that are not listed. */
  readonly mediaType: string | null
  readonly value: Value
}

/** The entries of a status, one for each media type and one for all others. */
export function entriesFor<Value> (
  status: number, mediaTypes: readonly string[], of: (mediaType: string | null) => Value
): Entry<Value>[] {
  return [null, ...new Set(mediaTypes)].map((mediaType) => ({ status, mediaType, value: of(mediaType) }))
}

/** Finds what applies to a message. Each older route has two of these, so they take little memory. */
export class ByStatus<Value> {
  readonly #entries: readonly Entry<Value>[]

  constructor (entries: readonly Entry<Value>[]) {
    // A copy has no room to grow.
    this.#entries = entries.slice()
  }

  /**
   * The entry of a status: its own, its class's, or the default's.
   *
   * @param status of the response; or, for a schema, the status that its entry has
   * @param contentType the header Content-Type, as it is
   */
  of (status: number, contentType: string | undefined): Value | null {
    const found = this.#find(status, contentType) ??
      this.#find(Math.floor(status / 100), contentType) ?? this.#find(0, contentType)
    return found === undefined ? null : found.value
  }

  /** Requests have no status; they are under 0. */
  forRequest (contentType: string | undefined): Value | null {
    return this.#find(0, contentType)?.value ?? null
  }

  #find (status: number, contentType: string | undefined): Entry<Value> | undefined {
    let other: Entry<Value> | undefined
    let mediaType: string | null = null
    for (const one of this.#entries) {
      if (one.status !== status) continue
      if (one.mediaType === null) other = one
      else if (one.mediaType === (mediaType ??= mediaTypeIn(contentType))) return one
    }
    return other
  }
}

/** The media type in a Content-Type header, without its parameters. */
function mediaTypeIn (contentType = ''): string {
  return contentType.split(';', 1)[0].trim().toLowerCase()
}
