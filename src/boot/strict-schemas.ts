import { isObject } from '../changes/schema.ts'
import { refusesUnknown } from '../fastify/compilers.ts'
import { show, warnOfSome } from '../messages.ts'
import { hasParam } from '../paths/pattern.ts'
import { labelOf } from '../routes.ts'

import type { Compiler } from '../fastify/compilers.ts'
import type { Versioned } from '../routes.ts'

/** Warns of routes whose schema of the path or of the query refuses the version that stands there. */
export function checkStrict (routes: readonly Versioned[]): void {
  const refusing = new Map<unknown, boolean>()
  const parts = new Map<string, string[]>()
  for (const route of routes) {
    const { options, scheme, server, url } = route
    if (options.schema === undefined) continue
    const { params, querystring, query = querystring } = Object(options.schema)
    const inPath = scheme.params.filter((name) => hasParam(url, name)).map((name) => ['params', params, name])
    const inQuery = scheme.members.filter(({ linkPlace }) => linkPlace === 'query')
      .map(({ versionParam }) => ['querystring', query, versionParam])
    for (const [part, schema, name] of [...inPath, ...inQuery]) {
      if (!isObject(schema) || schema.additionalProperties !== false) continue
      if (Object.hasOwn(Object(schema.properties), name)) continue
      if (Object.keys(Object(schema.patternProperties)).some((pattern) => new RegExp(pattern).test(name))) continue
      const compile = (options.validatorCompiler ?? server.validatorCompiler) as Compiler
      if (!refusing.has(compile)) refusing.set(compile, refusesUnknown(compile))
      if (refusing.get(compile)) parts.set(name, [...parts.get(name) ?? [], `${part} of ${labelOf(route)}`])
    }
  }
  for (const [name, places] of parts) {
    warnOfSome('FST_WARN_VERSION_SETTINGS', places, `Add ${show(name)} to the properties of these schemas: they have ` +
      '"additionalProperties": false, so the validator of this app refuses the version there: %s.')
  }
}
