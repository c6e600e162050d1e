import Fastify from 'fastify'
import LinkHeader from 'http-link-header'

import versioning, { QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

export const DEPRECATED = '2026-01-01'
export const SUNSET = '2026-12-31T23:59:59Z'

/** What ends in the tests that do not care how. */
export const lifecycle = { v1: { deprecated: DEPRECATED, sunset: SUNSET }, v2: { deprecated: '2026-09-01' } }

/** An app of three versions, by default in the query. */
export async function appWith (t: Test, options: VersioningOptions = {}): Promise<FastifyInstance> {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(versioning, {
    scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'], lifecycle, ...options
  })
  return app
}

/** A clock that a test sets. */
export function clockAt (date: string): { now: () => number, set: (date: string) => void } {
  let instant = Date.parse(date)
  return { now: () => instant, set (date) { instant = Date.parse(date) } }
}

/** The links of a response as `<relation> <target>`, by a parser that we did not write. */
export function linksOf ({ headers: { link } }: Pick<LightMyRequestResponse, 'headers'>): string[] {
  return LinkHeader.parse([link ?? []].flat().join(', ')).refs.map(({ rel, uri }) => `${rel} ${uri}`)
}
