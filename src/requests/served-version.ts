import type { FastifyReply } from 'fastify'

/**
 * What a version may be in a header (RFC 9110, section 5.5), without what is outside of ASCII. Clients and proxies
 * refuse responses whose headers are long.
 */
const FIELD_VALUE = /^[!-~](?:[ !-~]{0,254}[!-~])?$/

/**
 * Adds the version that is served to the response, if it is valid in a header: if every version is allowed, it is the
 * client's text. Call it when the version is accepted.
 *
 * @param servedVersion the name of the header
 */
export function addServedVersion (reply: FastifyReply, version: string, servedVersion: string): void {
  if (FIELD_VALUE.test(version)) reply.header(servedVersion, version)
}
