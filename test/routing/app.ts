import { AcceptHeaderVersioning, BaseVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyRequest, InjectOptions } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

export const allowedVersions = ['v1', 'v2', 'v3', 'v4']
export const settings = { allowedVersions, defaultVersion: 'v2' }
export const byAccept = { scheme: AcceptHeaderVersioning, ...settings }
export const byQuery = { scheme: QueryParameterVersioning, ...settings }

export class HeaderVersioning extends BaseVersioning {
  override readonly vary = 'X-API-Version'

  override readVersion ({ headers }: RawRequest | FastifyRequest) {
    return headers['x-api-version']
  }
}

/** Answers with its own mark, the version of the request, and what the route declares. */
export function tell (mark: string) {
  return async ({ version, routeOptions: { config } }: FastifyRequest) => ({ mark, version, versions: config.versions })
}

export const accept = (version: string): InjectOptions => ({ headers: { accept: `a/b;version=${version}` } })
