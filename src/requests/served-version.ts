import type { FastifyReply } from 'fastify'

/** What a field value may hold (RFC 9110, section 5.5), without what is outside of ASCII; proxies refuse long ones. */
const FIELD_VALUE = /^[!-~](?:[ !-~]{0,254}[!-~])?$/

/**
 * Adds the version that is served to the response. If every version is allowed, it is the client's text.
 *
 * @param servedVersion the name of the header
 */
export function addServedVersion (reply: FastifyReply, version: string, servedVersion: string): void {
  if (FIELD_VALUE.test(version)) reply.header(servedVersion, version)
}
