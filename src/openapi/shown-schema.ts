import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'

import type { DocumentOptions } from '../../types/openapi.d.ts'

/** The fields of a route's schema that are read here. */
interface Fields {
  readonly hide?: unknown
  readonly response?: object
  readonly security?: object
  readonly tags?: readonly string[]
}

/** Whether @fastify/swagger hides an operation with this schema. */
export function isHidden (schema: object, { hiddenTag = 'X-HIDDEN', hideUntagged }: DocumentOptions): boolean {
  const { hide, tags = [] } = schema as Fields
  return Boolean(hide || (hideUntagged && tags.length === 0) || tags.includes(hiddenTag))
}

/**
 * Checks that a document has the schemes of security that an operation needs, because @fastify/swagger reads them.
 *
 * @param schema of the route
 * @param label the route in an error
 * @throws FST_ERR_VERSIONING_OPTION naming the scheme of security, and what needs it
 */
export function checkSecurity (schema: object, label: string, { openapi }: DocumentOptions): void {
  const { security } = schema as Fields
  const schemes = openapi?.components?.securitySchemes ?? {}
  for (const [option, needed] of [['"openapi.security"', openapi?.security], [`"security" of ${label}`, security]]) {
    const name = [needed ?? []].flat().flatMap(Object.keys).find((key) => !Object.hasOwn(schemes, key))
    if (name === undefined) continue
    const advice = `Add ${show(name)} to "openapi.components.securitySchemes": ${String(option)} needs it.`
    throw new VersioningOptionError(advice, 'openapi.md#options')
  }
}

/**
 * Refuses schemas of Zod and other libraries (https://standardschema.dev), of which only a transform makes JSON Schema.
 *
 * @throws FST_ERR_VERSIONING_OPTION naming the library and the route
 */
export function checkLibrary (schema: object, label: string): void {
  const { response, ...parts } = schema as Fields
  for (const part of [parts, Object(response)].flatMap(Object.values)) {
    const media = Object.values(Object(Object(part).content)).map((medium) => Object(medium).schema)
    const found = [part, ...media].find((candidate) => Object(candidate)['~standard'] !== undefined)
    if (found === undefined) continue
    const advice = `Set "transform", such as jsonSchemaTransform of fastify-type-provider-zod: ${label} has a schema ` +
      `of ${show(found['~standard'].vendor)}, which @fastify/swagger cannot show.`
    throw new VersioningOptionError(advice, 'openapi.md#typebox-and-zod')
  }
}
