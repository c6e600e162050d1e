import { keep } from '../http/head.ts'
import { linkMembers, linkValue, quotedAttribute } from '../http/headers.ts'
import { toUriText } from '../http/uri.ts'

import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Members } from '../http/headers.ts'

/** Has the responses of a version link to its document (RFC 8631, section 2). */
export function linkToDocuments (
  server: FastifyInstance, files: readonly { readonly version: string, readonly url: string }[]
): void {
  const type = quotedAttribute('type', 'application/json')
  const byVersion = new Map<string | null, Members>(files.map(({ version, url }) => (
    [version, linkMembers([linkValue(toUriText(url), 'service-desc', type)])]
  )))

  server.addHook('onSend', function linkToDocument (
    { version }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: DoneFuncWithErrOrRes
  ): void {
    const members = byVersion.get(version)
    if (members !== undefined) keep(reply, members)
    done()
  })
}
