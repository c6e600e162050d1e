import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

import type { DocumentOptions } from '../../types/openapi.d.ts'

/** The fields of a schema by which @fastify/swagger hides an operation, or looks for schemes of security. */
interface Fields { readonly hide?: unknown, readonly security?: object, readonly tags?: readonly string[] }

/**
 * Checks that a document has the schemes of security that an operation needs, because @fastify/swagger reads them.
 *
 * @param schema of the route
 * @param label the route in an error
 * @throws FST_ERR_VERSIONING_OPTION naming the scheme of security, and what needs it
 */
export function checkSecurity (schema: object, label: string, options: DocumentOptions): void {
  const { hide, security, tags = [] } = schema as Fields
  const { openapi, hiddenTag = 'X-HIDDEN', hideUntagged } = options
  if (hide || (hideUntagged && tags.length === 0) || tags.includes(hiddenTag)) return
  const schemes = openapi?.components?.securitySchemes ?? {}
  for (const [option, needed] of [['"openapi.security"', openapi?.security], [`"security" of ${label}`, security]]) {
    const name = [needed ?? []].flat().flatMap(Object.keys).find((key) => !Object.hasOwn(schemes, key))
    if (name === undefined) continue
    const advice = `Add ${show(name)} to "openapi.components.securitySchemes": ${String(option)} needs it.`
    throw new VersioningOptionError(advice, 'openapi.md#options')
  }
}
