import { forwardedPrefixOf } from '../http/forwarded.ts'
import { linkValue } from '../http/headers.ts'
import { keepLinks } from '../http/kept.ts'
import { toUriText } from '../http/uri.ts'
import { registryOf } from '../links/scope.ts'

import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Place } from './addresses.ts'
import type { Teams } from './teams.ts'

const TYPE = '; type="application/json"'

/** Makes the responses of a version link to its document (RFC 8631, section 2). */
export function linkToDocuments (server: FastifyInstance, { files, outside }: Place, teams: Teams): void {
  const { routes } = registryOf(server)
  const hasTeams = files[0].team !== null
  const byTeam = new Map<string | null, Map<string | null, { path: string, members: readonly string[] }>>()
  for (const { team, version, path } of files) {
    const byVersion = byTeam.get(team) ?? new Map()
    byTeam.set(team, byVersion.set(version, { path, members: linkTo((outside ?? '') + path) }))
  }

  server.addHook('onSend', function linkToDocument (
    request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: DoneFuncWithErrOrRes
  ): void {
    if (request.version === null) return done()
    const route = hasTeams ? routes.of(request) : undefined
    const known = byTeam.get(route === undefined ? null : teams.of(route))?.get(request.version)
    if (known === undefined) return done()
    const prefix = outside === null ? forwardedPrefixOf(request) : ''
    keepLinks(reply, prefix === '' ? known.members : linkTo(prefix + known.path))
    done()
  })
}

function linkTo (path: string): readonly string[] {
  return [linkValue(toUriText(path), 'service-desc') + TYPE]
}
