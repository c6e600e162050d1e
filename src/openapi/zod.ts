import { hasZod, zodIn } from '../changes/documents.ts'
import { DocumentError } from '../errors.ts'
import { show } from '../messages.ts'

import type { Route } from '../routes.ts'

/** Makes JSON schemas of a Zod schema, as the transform of the user does: for a body, and for a response. */
export type ToJson = (schema: object) => readonly ({ readonly $ref?: unknown } | undefined)[]

/**
 * The components of Zod schemas as they were in a version. What a transform refers to are the newest ones, because a
 * registry of Zod has each id once.
 *
 * @param routes of all contexts that the document shows
 */
export function zodComponentsOf (routes: readonly Route[], version: string) {
  const components: Record<string, object> = {}
  const known = new Map<string, object>()
  const isNeeded = routes.some(({ server }) => hasZod(server, version))
  function add (route: Route, shown: object, toJson: ToJson): void {
    if (!isNeeded) return
    for (const [id, [now, then]] of zodIn(route, version, shown)) {
      const other = known.get(id)
      if (other === then) continue
      if (other !== undefined) {
        throw new DocumentError(`The document of ${show(version)} needs two forms of the Zod schema ${show(id)}: ` +
          `${route.url} has another one than the routes before it. Give it a schema without an id.`)
      }
      known.set(id, then)
      if (now === then) continue
      const older = toJson(then)
      for (const [i, reference] of toJson(now).entries()) {
        const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(String(reference?.$ref)) ?? []
        if (name === undefined) {
          throw new DocumentError(`A transform must refer to the Zod schema ${show(id)} as a component, because a ` +
            `change alters it, got ${show(reference)}.`)
        }
        components[name] = older[i] as object
      }
    }
  }
  return { components, add }
}
