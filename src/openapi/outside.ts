import { contextOf } from '../context.ts'

/**
 * The public address of an app: the option `baseUrl`, or null if it is not known.
 *
 * @param host instead of its own
 */
export function urlOf (server: object, host?: string): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : `${baseUrl.protocol}://${host ?? baseUrl.host}${baseUrl.path}`
}
