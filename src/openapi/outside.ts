import { contextOf } from '../context.ts'

/** The public address of an app: the option `baseUrl`, or null if it is not known. */
export function urlOf (server: object): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : `${baseUrl.protocol}://${baseUrl.host}${baseUrl.path}`
}
