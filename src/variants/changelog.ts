import type { Changes } from '../changes/changes.ts'
import type { AppChange } from '../../types/index.d.ts'
import type { Plan } from './derive.ts'

/** What `app.changes` shows: the changes, newest first, and the routes that each of them touches. */
export function describe (changes: Changes, plans: Iterable<Plan>): readonly AppChange[] {
  const planned = [...plans].map(({ routes, handledRoute, variants: { handled, older } }) => ({
    changes: new Set([handled, ...older].flatMap((one) => one?.changes ?? [])),
    // Under NamespaceVersioning the URL itself is in one version.
    served: handledRoute.isChosen ? handledRoute.served : changes.versions,
    shown: routes.flatMap(({ methods, url, name }) => methods.map((method) => ({
      key: `${method} ${url}`, route: Object.freeze({ method, url, name })
    })))
  }))
  const servedAt = new Map<string, readonly string[]>()
  for (const { served, shown } of planned) {
    for (const { key } of shown) servedAt.set(key, [...servedAt.get(key) ?? [], ...served])
  }
  return Object.freeze(changes.list.map((change) => {
    const { version, description } = change
    const since = new Set(changes.versions.slice(changes.versions.indexOf(version)))
    const touched = planned.filter((one) => one.changes.has(change)).flatMap(({ shown }) => shown)
      .filter(({ key }) => servedAt.get(key)?.some((one) => since.has(one)))
    // A URL with several handlers is listed once.
    const routes = new Map(touched.map(({ key, route }) => [`${key} ${route.name}`, route]))
    return Object.freeze({ version, description, routes: Object.freeze([...routes.values()]) })
  }))
}
