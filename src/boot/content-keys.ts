import { entriesOf, plainSchema } from '../changes/schema.ts'
import { VersioningOptionError } from '../errors.ts'
import { parseMediaRange } from '../http/accept.ts'
import { show, warnOfSome } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { MediaTypeVersioning } from '../schemes/media-type.ts'

import type { Route } from '../routes.ts'

/** A media type under which a route has a schema. */
interface ContentKey {
  readonly route: Route
  /** `body`, or `response 200`. */
  readonly part: string
  readonly key: string
  /** Whether a change applies to the schema. */
  readonly isChanged: boolean
}

/**
 * Warns, once for the app, of schemas under a media type by which Fastify does not find them. Fastify would neither
 * validate nor filter by such a schema.
 *
 * @throws FST_ERR_VERSIONING_OPTION where the media type has the version, or a change applies to the schema
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

/** Returns the media type that Fastify looks for, which is in lower case and has no parameters. */
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

/** Returns the media types under which changes have older schemas of a route. */
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
