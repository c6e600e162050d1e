import { contextOf } from '../context.ts'

/** The address of an app from outside: the option `baseUrl`; null: it is not known. */
export function urlOf (server: object): string | null {
  const { baseUrl } = contextOf(server)
  return baseUrl === null ? null : `${baseUrl.protocol}://${baseUrl.host}${baseUrl.path}`
}
