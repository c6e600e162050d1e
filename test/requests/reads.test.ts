import t from 'tap'

import { HeaderVersioning, HostNameVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { usageEvents } from '../fixtures/usage-events.ts'

import type { FastifyRequest } from 'fastify'
import type { RawRequest, VersioningOptions } from '../../types/index.d.ts'

let reads = 0

class Header extends HeaderVersioning {
  override readVersion (request: RawRequest) {
    reads++
    return super.readVersion(request)
  }
}

class Query extends QueryParameterVersioning {
  override readVersion (request: RawRequest | FastifyRequest) {
    reads++
    return super.readVersion(request)
  }
}

class Host extends HostNameVersioning {
  override readVersion (request: RawRequest | FastifyRequest) {
    reads++
    return super.readVersion(request)
  }
}

class Determining extends Header {
  override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}

class Late extends Header {
  override async determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}

class Both extends HeaderVersioning {
  override readVersion (request: RawRequest) {
    reads++
    return super.readVersion(request)
  }

  override determineVersion (request: FastifyRequest) { return super.determineVersion(request) }
}

interface Reading { says: string, scheme: VersioningOptions['scheme'], version?: 'v1', times: number }

const readings: Reading[] = [
  { says: 'a scheme', scheme: Header, times: 1 },
  { says: 'a scheme that chooses the handler', scheme: Header, version: 'v1', times: 2 },
  { says: 'each member of a list', scheme: [Header, Query], times: 2 },
  { says: 'each member of a list that chooses the handler', scheme: [Header, Query], version: 'v1', times: 4 },
  { says: 'a scheme that does not check the default', scheme: Host, times: 1 },
  { says: 'a scheme that overrides determineVersion()', scheme: Determining, times: 1 },
  { says: 'a scheme that overrides both methods and chooses the handler', scheme: Both, version: 'v1', times: 2 },
  { says: 'a scheme that is asynchronous', scheme: Late, times: 1 },
  { says: 'each member of a list, one of which is asynchronous,', scheme: [Query, Late], times: 3 }
]

for (const { says, scheme, version, times } of readings) {
  for (const asked of ['v1', 'v9', undefined]) {
    t.test(`${says} reads the version at most ${times} times for ${asked ?? 'no version'}`, async (t) => {
      const events = usageEvents(t)
      const app = await appWith(t, {
        scheme, allowedVersions: ['v1', 'v2'], reportVersions: true
      })
      app.get('/', version === undefined ? {} : { version }, async () => '')
      reads = 0
      const headers = { host: asked === undefined ? 'localhost' : `${asked}.example.com` }
      await app.inject({ url: '/', headers: asked === undefined ? headers : { ...headers, 'api-version': asked } })
      t.equal(events.length, 1)
      t.equal(events[0].requested, asked ?? null)
      const isUndetermined = asked === undefined && says.includes('one of which')
      t.equal(reads, isUndetermined ? times - 1 : times)
    })
  }
}
