import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { idsIn, isObject, keptIn, normalId, plainSchema } from './schema.ts'
import { isZod } from './zod.ts'

import type { AllowedVersions, Change } from '../../types/index.d.ts'

export type Direction = 'upgrade' | 'downgrade'
export type ChangeFunction = (value: unknown) => unknown

export interface ReadChange {
  readonly change: Change
  /** The change in messages: `'v2' (A booking has several guests.)`. */
  readonly label: string
  /** The index of its version among the allowed versions. */
  readonly index: number
  /** The warnings of values that are as before the change. */
  readonly told: Set<unknown>
}

/** How a change converts values of a schema, or a part of a route. */
export interface ValueStep {
  readonly change: ReadChange
  /** The `$id` of the schema; null for a part of a route. */
  readonly id: string | null
  /** The schema as it was; undefined if the schema of a part stays. */
  readonly older: unknown
  /** The older schema as the user has written it, such as a module of TypeBox that has the schema inside. */
  readonly written: unknown
  readonly upgrade: ChangeFunction | null
  readonly downgrade: ChangeFunction | null
  /** The status of a response as it was, or null if it stays. */
  readonly status: number | null
  readonly isLossless: boolean
  /** Whether the app itself converts values in webhooks, queues and streams. */
  readonly isOutside: boolean
  /** Whether a request, and whether a response, has a value that the step converts. Known when the app is ready. */
  isSent: boolean
  isAnswered: boolean
}

/** The changes between a version and the version before it. */
export interface Step {
  readonly index: number
  readonly changes: ReadChange[]
  /** The changes of schemas, by `$id`. */
  readonly schemas: Map<string, ValueStep>
  /** The changes of routes, by the name of the route and the part: `body`, `querystring` or `response 200`. */
  readonly routes: Map<string, Map<string, ValueStep>>
  /** The changes that only describe another handler, by the name of the route. */
  readonly sentences: Map<string, ReadChange[]>
}

type Fields = ReadonlyMap<string, unknown>

const PART_NAMES = ['body', 'query', 'querystring']
const RESPONSE_FIELDS = ['older', 'downgrade', 'status', 'outside']
const SCHEMA_FIELDS = ['older', 'upgrade', 'downgrade', 'lossless', 'outside']
/** Statuses that older versions cannot have: they have no content, and are about a form or a cache of the client. */
const WITHOUT_CONTENT: readonly unknown[] = [205, 304]
/** The older schema of a response that was a 204. Documents show no content for it. */
export const NO_CONTENT = { type: 'null', description: 'No Content' }
export const UNORDERED = 'The option "changes" needs "allowedVersions": they say which version is newer.'

/** Returns the versions that changes can have: the allowed versions without null. */
export function versionsOf (allowedVersions: AllowedVersions | null): readonly string[] {
  return (allowedVersions ?? []).filter((version) => version !== null)
}

/** Returns the changes that steps belong to. */
export function changesOf (steps: Iterable<ValueStep>): ReadChange[] {
  return [...new Set([...steps].map(({ change }) => change))]
}

/**
 * Reads the option `changes`, and returns a step for each version that has changes, newest first.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
 */
export function readSteps (option: unknown, allowedVersions: AllowedVersions | null): readonly Step[] {
  if (!Array.isArray(option)) {
    throw new VersionChangeOptionError(`Invalid "changes": expected an array of changes, got ${show(option)}.`)
  }
  const versions = versionsOf(allowedVersions)
  if (option.length > 0 && versions.length === 0) throw new VersionChangeOptionError(UNORDERED)
  const steps = new Map<number, Step>()
  for (const [i, entry] of option.entries()) {
    const fields = fieldsIn(entry, `changes.${i}`, ['version', 'description', 'schemas', 'routes'])
    const change = readChange(entry, fields, `changes.${i}`, versions)
    const { index } = change
    const step = keptIn(steps, index, (): Step => (
      { index, changes: [], schemas: new Map(), routes: new Map(), sentences: new Map() }
    ))
    addChange(step, change, fields)
  }
  return [...steps.values()].sort((a, b) => b.index - a.index)
}

function addChange (step: Step, change: ReadChange, fields: Fields): void {
  const { label } = change
  step.changes.push(change)
  const schemas = entriesIn(fields.get('schemas'), `${label}, schemas`)
  const routes = entriesIn(fields.get('routes'), `${label}, routes`)
  if (schemas.length + routes.length === 0) {
    throw new VersionChangeOptionError(`Change ${label} changes nothing: give it "schemas" or "routes".`)
  }
  for (const [id, schema] of schemas) {
    const schemaStep = readStep(schema, change, `${label}, schemas.${id}`, SCHEMA_FIELDS, normalId(id))
    if (schemaStep.older === undefined) throw invalidChange(`${label}, schemas.${id}.older`, 'a schema', undefined)
    addStep(step.schemas, normalId(id), schemaStep, `the schema '${id}'`)
  }
  for (const [name, route] of routes) {
    const steps = readRoute(route, change, `${label}, routes.${name}`)
    if (steps.length === 0) {
      keptIn(step.sentences, name, (): ReadChange[] => []).push(change)
      continue
    }
    const parts = keptIn(step.routes, name, () => new Map<string, ValueStep>())
    for (const [part, partStep] of steps) addStep(parts, part, partStep, `the ${part} of the route '${name}'`)
  }
}

function readChange (entry: unknown, fields: Fields, option: string, versions: readonly string[]): ReadChange {
  const version = fields.get('version')
  const description = fields.get('description')
  if (typeof version !== 'string') throw invalidChange(`${option}.version`, 'one of allowedVersions', version)
  if (typeof description !== 'string' || description === '') {
    throw invalidChange(`${option}.description`, 'a sentence for the readers of a changelog', description)
  }
  const index = versions.indexOf(version)
  const label = `${show(version)} (${description})`
  if (index > 0) return { change: entry as Change, label, index, told: new Set() }
  const reason = index === 0
    ? `write the version that brought the change, because ${show(version)} is the oldest version.`
    : `the version is not one of allowedVersions.${suggestionFor(version, versions.slice(1))}`
  throw new VersionChangeOptionError(`Change ${label}: ${reason}`)
}

/**
 * Reads the changes of a route by parts: `{ older, body, query: { upgrade, downgrade }, response: { 200: { … } } }`.
 * There are none in a change that only describes another handler.
 */
function readRoute (entry: unknown, change: ReadChange, option: string): [part: string, ValueStep][] {
  const fields = fieldsIn(entry, option, ['older', ...PART_NAMES, 'response'])
  const schemas = fieldsIn(fields.get('older') ?? {}, `${option}.older`, PART_NAMES)
  const [older, functions] = [partsByName(schemas), partsByName(fields)]
  if ([schemas, fields].some((names) => names.has('query') && names.has('querystring'))) {
    throw new VersionChangeOptionError(`Change ${option} has both "query" and "querystring": they are the same.`)
  }
  const parts = [...new Set([...functions.keys(), ...older.keys()])].map((part): [string, ValueStep] => {
    const hint = ` An older schema is written next to it: older: { ${part}: … }.`
    const ofPart = fieldsIn(functions.get(part) ?? {}, `${option}.${part}`, ['upgrade', 'downgrade'], hint)
    const step = readStep({ ...Object.fromEntries(ofPart), older: older.get(part) }, change, `${option}.${part}`)
    if (step.upgrade === null) throw invalidChange(`${option}.${part}.upgrade`, 'a function', undefined)
    return [part, step]
  })
  const byStatus = entriesIn(fields.get('response'), `${option}.response`)
  const responses = byStatus.map(([key, entry]): [string, ValueStep] => {
    if (RESPONSE_FIELDS.includes(key)) {
      throw new VersionChangeOptionError(`Change ${option}.response: write "${key}" under a status, such as 200.`)
    }
    const step = readStep(entry, change, `${option}.response.${key}`, RESPONSE_FIELDS)
    if (String(step.status) === key) {
      throw invalidChange(`${option}.response.${key}.status`, 'the other status of older versions', step.status)
    }
    if (step.status === null || key !== 'default') return [`response ${key.toLowerCase()}`, step]
    const advice = 'write "status" under the statuses that changed, because "default" is also for all others.'
    throw new VersionChangeOptionError(`Change ${option}.response.default: ${advice}`)
  })
  return [...parts, ...responses]
}

/** Returns fields by the names of parts in schemas: users may write `query`, as Fastify calls it in requests. */
function partsByName (fields: Fields): ReadonlyMap<string, unknown> {
  const named = [...fields].filter(([name]) => PART_NAMES.includes(name))
  return new Map(named.map(([name, value]) => [name === 'query' ? 'querystring' : name, value]))
}

function readStep (
  entry: unknown, change: ReadChange, option: string, names = SCHEMA_FIELDS, id: string | null = null
): ValueStep {
  const fields = fieldsIn(entry, option, names)
  const status = statusIn(fields, option)
  const upgrade = functionIn(fields, 'upgrade', option)
  const downgrade = functionIn(fields, 'downgrade', option)
  const isEmpty = upgrade === null && downgrade === null
  if (status === 204 && !(isEmpty && fields.get('older') === undefined)) {
    throw new VersionChangeOptionError(`Change ${option}: remove "older" and "downgrade", because a 204 has no body.`)
  }
  if (isEmpty && (status === null || fields.get('older') !== undefined)) {
    throw invalidChange(option, 'a function "upgrade", "downgrade", or both', entry)
  }
  const [isLossless, isOutside] = ['lossless', 'outside'].map((name) => {
    const value = fields.get(name) ?? false
    if (typeof value !== 'boolean') throw invalidChange(`${option}.${name}`, 'true or false', value)
    return value
  })
  const older = plainSchema(fields.get('older'))
  checkLibrary(older, option)
  if (older !== undefined && (!isObject(older) || Array.isArray(older))) {
    throw invalidChange(`${option}.older`, 'a schema', older)
  }
  const others = { change, id, upgrade, status, isLossless, isOutside, isSent: false, isAnswered: false }
  return status === 204
    ? { ...others, written: NO_CONTENT, older: NO_CONTENT, downgrade: () => null }
    : { ...others, written: older, older: unpacked(older), downgrade }
}

/** Returns the status of a response as it was, or null if it stays. */
function statusIn (fields: Fields, option: string): number | null {
  const status = fields.get('status') ?? null
  const isStatus = status === null || (
    Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600 && !WITHOUT_CONTENT.includes(status)
  )
  if (isStatus) return status as number | null
  throw invalidChange(`${option}.status`, 'the status of older versions, such as 422', status)
}

/** Refuses a schema of a library that makes no JSON Schemas, as `~standard` tells (https://standardschema.dev). */
function checkLibrary (older: unknown, option: string): void {
  const media = Object.values(Object(Object(older).content)).map((medium) => Object(medium).schema)
  for (const schema of [older, ...media]) {
    const { '~standard': standard, _def: definition } = Object(schema)
    // Zod 3.24 and later call themselves 'zod', as Zod 4 does.
    const vendor = definition ? 'Zod 3' : Object(standard).vendor
    if (vendor === undefined || isZod(schema)) continue
    throw new VersionChangeOptionError(
      `Write "${option}.older" as a JSON Schema, with TypeBox or with Zod 4: changes do not read ${show(vendor)} ` +
      'schemas.'
    )
  }
}

/** Returns the schema that a module of TypeBox refers to: `{ $defs: { Booking: { $id, … }, … }, $ref: 'Booking' }`. */
function unpacked (older: unknown): unknown {
  const { $ref, $defs } = Object(older) as { $ref?: unknown, $defs?: unknown }
  return typeof $ref === 'string' && $defs !== undefined ? idsIn([older]).get(normalId($ref)) ?? older : older
}

/** Adds the first step with a key. @param what the schema or the part in messages */
function addStep (steps: Map<string, ValueStep>, key: string, step: ValueStep, what: string): void {
  const first = steps.get(key)
  if (first === undefined) steps.set(key, step)
  else throw new VersionChangeOptionError(`Changes ${first.change.label} and ${step.change.label} both change ${what}.`)
}

function functionIn (fields: Fields, name: string, option: string): ChangeFunction | null {
  const value = fields.get(name)
  if (value === undefined) return null
  const kind = Object.prototype.toString.call(value)
  if (kind === '[object Function]') return value as ChangeFunction
  const expected = kind === '[object AsyncFunction]' ? 'a function that is not async' : 'a function'
  throw invalidChange(`${option}.${name}`, expected, value)
}

/** Returns the entries of an object, without undefined values. */
function entriesIn (value: unknown, option: string): [string, unknown][] {
  if (value === undefined) return []
  if (!isObject(value) || Array.isArray(value)) throw invalidChange(option, 'an object', value)
  return Object.entries(value).filter(([, value]) => value !== undefined)
}

function fieldsIn (value: unknown, option: string, names: readonly string[], hint = ''): Fields {
  const fields = new Map(entriesIn(value ?? null, option))
  for (const name of fields.keys()) {
    if (names.includes(name)) continue
    const near = suggestionFor(name, names) || hint
    throw new VersionChangeOptionError(`Change ${option} has no option "${name}", but ${names.join(', ')}.${near}`)
  }
  return fields
}

function invalidChange (option: string, expected: string, value: unknown): Error {
  return new VersionChangeOptionError(`Invalid change ${option}: expected ${expected}, got ${show(value)}.`)
}
