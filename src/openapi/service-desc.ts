import { forwardedPrefixOf } from '../http/forwarded.ts'
import { keep } from '../http/head.ts'
import { linkValue, quotedAttribute } from '../http/headers.ts'
import { linkMembers } from '../http/members.ts'
import { toUriText } from '../http/uri.ts'
import { registryOf } from '../links/scope.ts'

import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Members } from '../http/members.ts'
import type { Place } from './addresses.ts'
import type { Teams } from './teams.ts'

const TYPE = quotedAttribute('type', 'application/json')

/** Makes the responses of a version link to its document (RFC 8631, section 2). */
export function linkToDocuments (server: FastifyInstance, { files, outside }: Place, teams: Teams): void {
  const { routes } = registryOf(server)
  const hasTeams = files[0].team !== null
  const byTeam = new Map<string | null, Map<string | null, { path: string, members: Members }>>()
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
    keep(reply, prefix === '' ? known.members : linkTo(prefix + known.path))
    done()
  })
}

function linkTo (path: string): Members {
  return linkMembers([linkValue(toUriText(path), 'service-desc', TYPE)])
}
