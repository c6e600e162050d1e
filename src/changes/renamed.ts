import { Description } from './description.ts'
import { keptIn } from './schema.ts'

import type { Edition, Place } from './edition.ts'
import type { ValueStep } from './read-changes.ts'
import type { Stage } from './stage.ts'

/** A name that a step has brought, and what finds a schema that has it, but no name that is gone. */
type Brought = readonly [name: string, isNewer: (place: Place) => boolean]

/**
 * The first property that a change of a schema has renamed, and that another schema has by its new name; null if there
 * is none. Clients of older versions send it by the old name.
 *
 * @param schema of a part that no change converts, with what it contains and refers to
 */
export type FindRenamed = (schema: unknown, step: ValueStep) => string | null

/** Finds the new names of properties where no change converts the old ones. */
export function renamedFinder (stages: readonly Stage[], newest: Edition): FindRenamed {
  const byStep = new Map<ValueStep, readonly Brought[]>()
  return (schema, step) => {
    const stage = stages.find(({ step: { schemas } }) => schemas.get(step.id ?? '') === step)
    const brought = stage === undefined ? [] : keptIn(byStep, step, () => broughtBy(step, stage))
    return brought.find(([, isNewer]) => newest.has(schema, isNewer))?.[0] ?? null
  }
}

function broughtBy ({ id, older }: ValueStep, stage: Stage): Brought[] {
  const [before, now] = [stage.older.at(older), stage.newer.find(id as string) as Place]
    .map((place) => new Description([place]))
  const gone = [...before.names].filter((name) => !now.names.has(name))
  const added = gone.length === 0 ? [] : [...now.names].filter((name) => !before.names.has(name))
  const ofOneType = added.filter((name) => gone.some((old) => haveOneType(before.partsOf(old), now.partsOf(name))))
  return (ofOneType.length > 0 ? ofOneType : added).map((name) => [name, ({ id: ownId, members }) => {
    const alike = [...members].filter(([key, place]) => haveOneType([place], now.partsOf(key))).map(([key]) => key)
    if (!alike.includes(name) || gone.some((old) => members.has(old))) return false
    // A shared schema is another thing, unless it has more of the same.
    return ownId === null || alike.length > 1
  }])
}

/** Whether a type other than null is among those of both. */
function haveOneType (places: readonly Place[], others: readonly Place[]): boolean {
  const [types, otherTypes] = [places, others].map((all) => (
    new Description(all).places.flatMap(({ keywords: { type } }) => type)
  ))
  return types.some((type) => typeof type === 'string' && type !== 'null' && otherTypes.includes(type))
}
