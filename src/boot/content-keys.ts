import { entriesOf, plainSchema } from '../changes/schema.ts'
import { VersioningOptionError } from '../errors.ts'
import { parseMediaRange } from '../http/accept.ts'
import { show, warnOfSome } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { MediaTypeVersioning } from '../schemes/media-type.ts'

import type { Route } from '../routes.ts'

interface ContentKey {
  readonly route: Route
  /** `body`, or `response 200`. */
  readonly part: string
  readonly key: string
  /** Whether a change applies to the schema. */
  readonly isChanged: boolean
}

/**
 * Looks for schemas under a media type by which Fastify does not find them, so that it neither validates nor filters.
 * It warns of them, once for the app.
 *
 * @throws FST_ERR_VERSIONING_OPTION where the key has the version, or a change applies to the schema
 */
export function checkContentKeys (routes: readonly Route[]): void {
  const described = routes.filter(({ isAdded, older, options }) => !isAdded && (options.schema || older.byVersion))
  const unused = described.flatMap((route) => [...changedIn(route), ...declaredIn(route)])
    .filter(({ key }) => key !== typeIn(key))
  for (const { route, part, key, isChanged } of unused) {
    if (!isChanged && !hasVersion(route, key)) continue
    const reason = isChanged
      ? 'a change applies to this schema, but Fastify looks for the type in lower case and without parameters.'
      : 'Fastify looks for the type without parameters, and clients may add the version.'
    throw new VersioningOptionError(
      `Write ${show(typeIn(key))} instead of ${show(key)} in the schema of ${labelOf(route)}, ${part}: ${reason}`
    )
  }
  const shown = unused.map(({ route, part, key }) => `${show(key)} (${labelOf(route)}, ${part})`)
  warnOfSome('FST_WARN_VERSION_CONTENT', shown, 'Fastify ignores these schemas, because it looks for a media type in ' +
    'lower case and without parameters: %s. Write only the type.')
}

/** The type that Fastify looks for. */
function typeIn (key: string): string {
  return key.split(/[ ;]/, 1)[0].trim().toLowerCase()
}

function declaredIn (route: Route): ContentKey[] {
  const { body, response } = Object(route.options.schema)
  const parts = [['body', body], ...entriesOf(response).map(([status, schema]) => [`response ${status}`, schema])]
  return parts.flatMap(([part, schema]) => (
    Object.keys(Object(Object(plainSchema(schema)).content)).map((key) => ({ route, part, key, isChanged: false }))
  ))
}

/** The older schemas of changes have keys, too. */
function changedIn (route: Route): ContentKey[] {
  const parts = [...route.older.byVersion?.values() ?? []].flatMap((form) => [...form.parts])
  return parts.flatMap(([part, media]) => [...media].flatMap(([key, { conversion }]) => (
    key === null || conversion === undefined ? [] : [{ route, part, key, isChanged: true }]
  )))
}

function hasVersion ({ scheme }: Route, key: string): boolean {
  const parameters = parseMediaRange(key)?.parameters
  return scheme?.members.some(({ author, versionParam }) => (
    author instanceof MediaTypeVersioning && parameters?.has(versionParam.toLowerCase())
  )) ?? false
}
