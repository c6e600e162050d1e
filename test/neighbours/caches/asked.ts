import { contexts } from './origin.ts'

/** What a client asks. */
export interface Asked {
  readonly method: 'GET' | 'HEAD'
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

type Naming = Partial<Pick<Asked, 'host' | 'path' | 'headers'>>

/** How a client specifies a version to the context; the paths begin after its prefix. */
const NAMING: Record<string, (version: string, path: string, spelling: boolean) => Naming> = {
  accept: (version, _path, spelling) => ({
    headers: { accept: `application/json;${spelling ? ' ' : ''}version=${spelling ? version : `"${version}"`}` }
  }),
  content: (version) => ({ headers: { 'content-type': `application/json;version=${version}` } }),
  header: (version) => ({ headers: { 'api-version': version } }),
  host: (version) => ({ host: `${version}.example.com` }),
  namespace: (version, path) => ({ path: `/${version}${path}` }),
  path: (version, path) => ({ path: `/${version}${path}` }),
  query: (version, path, spelling) => ({ path: `${path}?${spelling ? 'page=2&' : ''}version=${version}` }),
  several: (version, _path, spelling) => ({
    headers: spelling ? { accept: `application/json;version=${version}` } : { 'api-version': version }
  })
}

const VERSIONS = [null, 'v1', 'v2', 'v3', 'v9']
const PATHS = ['/bookings', '/rates', '/old', '/nowhere']
const ENCODINGS = [null, 'gzip', 'br']
const ORIGINS = [null, 'https://one.example', 'https://two.example']

/** Requests in mixed versions, the same for the same seed. */
export function * requests (count: number, seed: number): Generator<Asked> {
  const draw = random(seed)
  const one = <T>(list: readonly T[]): T => list[draw() % list.length]!
  for (let index = 0; index < count; index++) {
    const context = one(contexts)
    const version = one(VERSIONS)
    const path = one(PATHS)
    const naming = version === null ? {} : NAMING[context]!(version, path, draw() % 2 === 0)
    const [encoding, origin] = [one(ENCODINGS), one(ORIGINS)]
    yield {
      method: draw() % 10 === 0 ? 'HEAD' : 'GET',
      host: naming.host ?? 'api.local',
      path: `/${context}${naming.path ?? path}`,
      headers: {
        ...naming.headers,
        ...encoding !== null && { 'accept-encoding': encoding },
        ...origin !== null && { origin }
      }
    }
  }
}

/** Numbers that look random (mulberry32). */
function random (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
