import { labelsOf } from '../changes/convert.ts'
import { isRequest, isTouched, partsOf } from '../changes/parts.ts'
import { idOf, keptIn, onlyReferenceOf, schemasIn } from '../changes/schema.ts'
import { changesIn, findContext } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { labelOf } from '../routes.ts'
import { servedVersionsOf } from '../routing/coverage.ts'
import { partSchemasOf } from './entry.ts'

import type { Changes } from '../changes/changes.ts'
import type { Part } from '../changes/parts.ts'
import type { Form } from '../changes/route-forms.ts'
import type { Step, ValueStep } from '../changes/read-changes.ts'
import type { Route } from '../routes.ts'
import type { Entry } from './entry.ts'

/** The parts of routes that changes cannot see, for warnings. */
export interface Unseen {
  /** Routes that have no schema for successful responses, and serve versions before a change of a schema. */
  readonly routes: Route[]
  /** Parts of routes that have a changed schema without its `$id`, as messages call them. */
  readonly copies: string[]
  /** Parts of requests that have a property by its new name, which a change brings only to the response. */
  readonly renamed: string[]
  /** Routes that have no schema for errors, with the changed schemas of their older versions. */
  readonly faults: (readonly [route: Route, changed: ReadonlySet<string>])[]
  /** The names of the parts that have a changed schema, by the `$id` of the schema. */
  readonly parts: Map<string, Set<string>>
  /** Routes that changes of an outer context would convert if their own context had no changes. */
  readonly replaced: Route[]
  /** Routes whose context has no changes, and whose schemas changes of another context would convert. */
  readonly leftOut: Route[]
}

/** The keys of schemas for successful responses. */
const SUCCESS = /^(?:2|default$)/i
const REDIRECT = /^3(?!04)/
const ERROR = /^(?:[45]|default$)/i

/**
 * Notes what changes cannot see of a route.
 *
 * @param steps the steps before which the route serves versions
 * @throws FST_ERR_VERSION_CHANGE_OPTION for a route that upgrades its body, but has no schema for what it answers
 */
export function noteUnseen (
  { route, schema, changes }: Entry, steps: readonly Step[], forms: readonly Form[],
  { routes, copies, renamed, faults, parts }: Unseen
): void {
  const { isAdded, methods, server, url } = route
  const statuses = Object.keys(Object(schema.response))
  const isDescribed = statuses.some((status) => SUCCESS.test(status))
  const upgrading = forms.find(({ request }) => request.includes('body'))
  if (upgrading !== undefined && !isDescribed) {
    throw new VersionChangeOptionError(
      `Change ${labelsOf(upgrading.changes)}: write a response schema for ${labelOf(route)}, whose body it upgrades. ` +
      'Older clients would get the newest shape. If the response did not change, write "response": { 200: {} }, or ' +
      '{ 204: {} } if it has no body.'
    )
  }
  const isSpecial = methods.every((method) => ['HEAD', 'OPTIONS'].includes(method)) || url.endsWith('*')
  const changed = new Set(steps.flatMap(({ schemas }) => [...schemas.keys()]))
  if (isAdded || isSpecial || schema.hide === true || changed.size === 0) return
  if (!isDescribed && !statuses.some((status) => REDIRECT.test(status))) routes.push(route)
  if (!statuses.some((status) => ERROR.test(status))) faults.push([route, changed])
  for (const [name, part] of forms.flatMap((form) => [...form.parts])) {
    for (const { id } of stepsIn([part])) if (id !== null) keptIn(parts, id, () => new Set()).add(name)
  }
  const { findCopy, newest, renamingBy } = changes.editionsIn(server)
  const renamings = new Set(forms.flatMap((form) => {
    const ofForm = answeredIn(form).map(renamingBy)
    const isUnread = schema.body === undefined && !form.request.includes('body')
    for (const { gone } of isUnread ? ofForm : []) for (const name of gone) form.oldNames.add(name)
    return ofForm
  }))
  for (const [name, part] of partsOf(schema)) {
    if (forms.some(({ parts }) => isTouched(parts.get(name)))) continue
    const schemas = [...part.values()].map(({ schema }) => schema)
    // A request needs no copy of the whole Zod schema: a renamed property in it is enough, which is searched below.
    const copied = findCopy(schemas, (id) => changed.has(id), !isRequest(name))
    if (copied !== null) copies.push(`${labelOf(route)}, ${name} (${show(copied)})`)
    if (copied !== null || !isRequest(name)) continue
    const found = [...renamings].flatMap(({ brought }) => brought).find(([property, isNewer]) => (
      schemas.some((schema) => newest.namesIn(schema).has(property) && newest.has(schema, isNewer))
    ))
    if (found !== undefined) renamed.push(`${labelOf(route)}, ${name} (${show(found[0])})`)
  }
}

/** Tells whether changes of other contexts alone are of schemas of a route, in versions that the route serves. */
export function isLeftOut (route: Route, all: ReadonlySet<Changes>): boolean {
  const { isAdded, options, scheme, server } = route
  if (isAdded || scheme === null || all.size === 0) return false
  for (let context: object = server; findContext(context) !== undefined; context = Object.getPrototypeOf(context)) {
    // In a context inside, null is meant.
    if (changesIn(context) !== null) return false
  }
  const ids = schemasIn(partSchemasOf(Object(options.schema)))
    .flatMap((schema) => [idOf(schema), onlyReferenceOf(schema)])
  const served = servedVersionsOf(route)
  return [...all].some(({ steps, versions }) => steps.some(({ index, schemas }) => (
    ids.some((id) => schemas.has(id as string)) && served.some((version) => (
      versions.slice(0, index).includes(version as string)
    ))
  )))
}

/** Returns the steps that apply to successful responses. */
function answeredIn ({ parts }: Form): ValueStep[] {
  return stepsIn([...parts].filter(([name]) => name.startsWith('response 2')).map(([, part]) => part))
}

function stepsIn (parts: readonly Part[]): ValueStep[] {
  return parts.flatMap((part) => [...part.values()]).flatMap(({ moves }) => moves).flatMap(({ steps }) => steps)
}
