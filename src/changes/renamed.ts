import { allowedTypes } from './alternatives.ts'
import { Description } from './description.ts'
import { keptIn } from './schema.ts'

import type { Place } from './edition.ts'
import type { ValueStep } from './read-changes.ts'
import type { Stage } from './stage.ts'

/** Properties that a change of a schema may have renamed. Clients of older versions send them by the old names. */
export interface Renaming {
  /** The old names. */
  readonly gone: readonly string[]
  /** The new names. `isNewer` tells whether a schema has the property by this name, and no property by an old name. */
  readonly brought: readonly (readonly [name: string, isNewer: (place: Place) => boolean])[]
}

export type RenamingBy = (step: ValueStep) => Renaming

const NOTHING: Renaming = { gone: [], brought: [] }

/** Makes the function that tells what a step has renamed. It reads each step once. */
export function renamingReader (stages: readonly Stage[]): RenamingBy {
  const byStep = new Map<ValueStep, Renaming>()
  return (step) => {
    const stage = stages.find(({ step: { schemas } }) => schemas.get(step.id ?? '') === step)
    return stage === undefined ? NOTHING : keptIn(byStep, step, () => renamingIn(stage, step))
  }
}

function renamingIn (stage: Stage, { id, older }: ValueStep): Renaming {
  const [before, now] = [stage.older.at(older), stage.newer.find(id as string) as Place]
    .map((place) => new Description([place]))
  const gone = [...before.names].filter((name) => !now.names.has(name))
  if (gone.length === 0) return NOTHING
  const added = [...now.names].filter((name) => !before.names.has(name))
  const ofOneType = added.filter((name) => gone.some((old) => haveOneType(before.partsOf(old), now.partsOf(name))))
  const brought = (ofOneType.length > 0 ? ofOneType : added).map((name) => [name, ({ id: ownId, members }: Place) => {
    const member = members.get(name)
    if (member === undefined || gone.some((old) => members.has(old))) return false
    const parts = now.partsOf(name)
    // A property whose schema has another $id is another property, even if it has the same name.
    if (!haveOneType([member], parts) || ![null, ...parts.map(({ id }) => id)].includes(member.id)) return false
    // A shared schema is about something else, unless it has another property in common with the changed schema.
    return ownId === null || [...members].some(([key, place]) => key !== name && haveOneType([place], now.partsOf(key)))
  }] as const)
  return { gone, brought }
}

/** Tells whether schemas have a type in common, other than null. A schema that allows every type does not count. */
function haveOneType (places: readonly Place[], others: readonly Place[]): boolean {
  const [types, otherTypes] = [places, others].map((all) => (
    new Description(all).places.map(({ keywords }) => allowedTypes(keywords)).filter(({ length }) => length < 6).flat()
  ))
  return types.some((type) => type !== 'null' && otherTypes.includes(type))
}
