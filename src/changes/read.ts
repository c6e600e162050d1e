import { VersionChangeOptionError } from '../errors.ts'
import { show, suggestionFor } from '../messages.ts'
import { isObject, namesIn, normalId } from './documents.ts'
import { REQUEST_PARTS, changeLabel } from './steps.ts'

import type { ObjectSchema } from './documents.ts'
import type { ChangeFunction, PartStep, ReadChange, RequestPart, RouteStep, SchemaStep, Step } from './steps.ts'
import type { AllowedVersions, Change } from '../../types/index.d.ts'

/** The parts of a request as a change names them: `query` is Fastify's word in requests, `querystring` in schemas. */
const PART_NAMES = ['body', 'query', 'querystring', 'params', 'headers']

const STATUS = /^(?:[1-5]\d\d|[1-5]xx|default)$/

type Fields = ReadonlyMap<string, unknown>

/**
 * The option `changes`, read.
 *
 * @param versions those allowed, oldest first
 * @returns newest first. Changes of one version are in the order in which they were given
 * @throws FST_ERR_VERSION_CHANGE_OPTION naming the change and what is wrong
 */
export function readList (given: unknown, allowedVersions: AllowedVersions | null): ReadChange[] {
  if (!Array.isArray(given)) {
    throw new VersionChangeOptionError(`Invalid "changes": expected an array of changes, got ${show(given)}.`)
  }
  const versions = versionsOf(allowedVersions)
  if (given.length > 0 && versions.length === 0) {
    throw new VersionChangeOptionError('The option "changes" needs "allowedVersions": they say which version is newer.')
  }
  const changes = given.map((change: unknown, i) => readChange(change, `changes.${i}`, versions))
  return changes.toSorted((a, b) => b.index - a.index)
}

/** The versions that changes can have, without null. */
export function versionsOf (allowedVersions: AllowedVersions | null): readonly string[] {
  return (allowedVersions ?? []).filter((version) => version !== null)
}

/**
 * What is undone before each version that has changes, newest first.
 *
 * @throws FST_ERR_VERSION_CHANGE_OPTION where two changes of a version change the same schema, part or status
 */
export function stepsOf (changes: readonly ReadChange[]): Step[] {
  return [...new Set(changes.map(({ index }) => index))].map((index) => {
    const ofVersion = changes.filter((change) => change.index === index)
    const schemas = new Map<string, SchemaStep>()
    const routes = new Map<string, { parts: Map<RequestPart, PartStep>, response: Map<string, PartStep> }>()
    for (const change of ofVersion) {
      for (const [id, step] of change.schemas) add(schemas, id, step, `the schema '${id}'`)
      for (const [name, { parts, response }] of change.routes) {
        const route = routes.get(name) ?? { parts: new Map(), response: new Map() }
        routes.set(name, route)
        for (const [part, step] of parts) add(route.parts, part, step, `the ${part} of the route '${name}'`)
        for (const [status, step] of response) {
          add(route.response, status, step, `the response ${status} of the route '${name}'`)
        }
      }
    }
    const extras = new Map([...schemas.values()].flatMap((step) => [...step.extras]))
    return { index, changes: ofVersion, schemas, extras, routes }
  })
}

/** @param what as messages call it */
function add<Key, One extends PartStep> (steps: Map<Key, One>, key: Key, step: One, what: string): void {
  const other = steps.get(key)
  if (other === undefined) steps.set(key, step)
  else throw new VersionChangeOptionError(`Changes ${other.change.label} and ${step.change.label} both change ${what}.`)
}

function readChange (given: unknown, option: string, versions: readonly string[]): ReadChange {
  const fields = fieldsOf(given, option, ['version', 'description', 'schemas', 'routes'])
  const { version, description } = Object.fromEntries(fields)
  if (typeof version !== 'string') throw invalid(`${option}.version`, 'one of allowedVersions', version)
  if (typeof description !== 'string' || description === '') {
    throw invalid(`${option}.description`, 'a sentence for the readers of a changelog', description)
  }
  const index = versions.indexOf(version)
  const label = changeLabel({ version, description })
  if (index === -1) {
    const hint = suggestionFor(version, versions)
    throw new VersionChangeOptionError(`Change ${label}: the version is not one of allowedVersions.${hint}`)
  }
  if (index === 0) {
    throw new VersionChangeOptionError(`Change ${label}: ${show(version)} is the oldest version, so nothing is older.`)
  }
  const schemas = new Map<string, SchemaStep>()
  const routes = new Map<string, RouteStep>()
  const change: ReadChange = { change: given as Change, label, index, schemas, routes }
  for (const [id, schema] of entriesIn(fields.get('schemas'), `${label}, schemas`)) {
    const step = readSchema(schema, normalId(id), change)
    schemas.set(step.id, step)
  }
  for (const [name, route] of entriesIn(fields.get('routes'), `${label}, routes`)) {
    routes.set(name, readRoute(route, change, `${label}, routes.${name}`))
  }
  if (schemas.size === 0 && routes.size === 0) {
    throw new VersionChangeOptionError(`Change ${label} changes nothing: give it "schemas" or "routes".`)
  }
  return change
}

function readSchema (given: unknown, id: string, change: ReadChange): SchemaStep {
  const option = `${change.label}, schemas.${id}`
  const fields = fieldsOf(given, option, ['older', 'upgrade', 'downgrade', 'lossless'])
  const older = schemaIn(fields.get('older'), `${option}.older`)
  const upgrade = functionIn(fields, 'upgrade', option)
  const downgrade = functionIn(fields, 'downgrade', option)
  if (upgrade === null && downgrade === null) throw invalid(option, 'a function "upgrade", "downgrade", or both', given)
  const isLossless = fields.get('lossless') ?? false
  if (typeof isLossless !== 'boolean') throw invalid(`${option}.lossless`, 'true or false', isLossless)
  return { id, change, ...unpacked(older), upgrade, downgrade, isLossless }
}

/** A module contains its schemas: `{ $defs: { Booking: { $id: 'Booking' }, … }, $ref: 'Booking' }`. */
function unpacked (older: ObjectSchema): Pick<SchemaStep, 'older' | 'extras'> {
  if (typeof older.$ref !== 'string' || !isObject(older.$defs)) return { older, extras: new Map() }
  const { ids } = namesIn(older)
  const root = ids.get(normalId(older.$ref))
  const others = [...ids].filter(([, schema]) => root !== undefined && schema !== root)
  return { older: root ?? older, extras: new Map(others) }
}

function readRoute (given: unknown, change: ReadChange, option: string): RouteStep {
  const fields = fieldsOf(given, option, ['older', 'response', ...PART_NAMES])
  if (isObject(fields.get('older')) && Object.hasOwn(fields.get('older') as object, 'response')) {
    throw new VersionChangeOptionError(
      `Change ${option}.older.response: write it by status, response: { 200: { older, downgrade } }.`
    )
  }
  const olderFields = fields.has('older') ? fieldsOf(fields.get('older'), `${option}.older`, PART_NAMES) : new Map()
  const older = new Map(partsIn(olderFields, `${option}.older`).map(([name, schema]) => (
    [name, schemaIn(schema, `${option}.older.${name}`)]
  )))
  const parts = new Map<RequestPart, PartStep>()
  for (const [name, functions] of partsIn(fields, option)) {
    const part = `${option}.${name}`
    const own = fieldsOf(functions, part, ['upgrade', 'downgrade'])
    const upgrade = functionIn(own, 'upgrade', part)
    if (upgrade === null) throw invalid(`${part}.upgrade`, 'a function', undefined)
    parts.set(name, { change, older: older.get(name), upgrade, downgrade: functionIn(own, 'downgrade', part) })
  }
  for (const name of older.keys()) {
    if (!parts.has(name)) throw invalid(`${option}.${name}`, 'its functions, as the older schema is given', undefined)
  }
  const response = new Map(entriesIn(fields.get('response'), `${option}.response`).map(([status, one]) => (
    [status.toLowerCase(), readResponse(one, change, status, `${option}.response.${status}`)]
  )))
  if (parts.size === 0 && response.size === 0) {
    throw invalid(option, 'a part of the request, or a response', given)
  }
  return { parts, response }
}

function readResponse (given: unknown, change: ReadChange, status: string, option: string): PartStep {
  if (!STATUS.test(status.toLowerCase())) {
    throw new VersionChangeOptionError(
      `Change ${option}: expected a status such as 200, a class such as '4xx', or 'default'.`
    )
  }
  if (given === false) return { change, older: undefined, upgrade: null, downgrade: null }
  const fields = fieldsOf(given, option, ['older', 'downgrade'])
  const downgrade = functionIn(fields, 'downgrade', option)
  if (downgrade === null) throw invalid(`${option}.downgrade`, 'a function', undefined)
  const older = fields.get('older')
  const schema = older === undefined ? undefined : schemaIn(older, `${option}.older`)
  return { change, older: schema, upgrade: null, downgrade }
}

/** The parts of a request by the name that the schema of a route has for them. */
function partsIn (fields: Fields, option: string): [RequestPart, unknown][] {
  if (fields.has('query') && fields.has('querystring')) {
    throw new VersionChangeOptionError(`Change ${option} has both "query" and "querystring", which are the same.`)
  }
  return [...fields].flatMap(([name, value]) => {
    const part = name === 'query' ? 'querystring' : name
    return (REQUEST_PARTS as readonly string[]).includes(part) ? [[part as RequestPart, value]] : []
  })
}

function functionIn (fields: Fields, name: string, option: string): ChangeFunction | null {
  const value = fields.get(name)
  if (value === undefined) return null
  if (typeof value !== 'function') throw invalid(`${option}.${name}`, 'a function', value)
  const kind = Object.prototype.toString.call(value)
  if (kind === '[object AsyncFunction]' || kind === '[object AsyncGeneratorFunction]') {
    throw invalid(`${option}.${name}`, 'a function that is not async: changes are synchronous', value)
  }
  if (kind === '[object GeneratorFunction]') {
    throw invalid(`${option}.${name}`, 'a function that is not a generator: it returns the value', value)
  }
  return value as ChangeFunction
}

function schemaIn (value: unknown, option: string): ObjectSchema {
  const schema = plainSchema(value)
  if (!isObject(schema) || Array.isArray(schema)) throw invalid(option, 'a schema', value)
  return schema
}

/** A schema of fluent-json-schema is converted by its `valueOf`, as Fastify does. */
export function plainSchema (schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const isFluent = schema.isFluentSchema || schema.isFluentJSONSchema ||
    (schema as Record<symbol, unknown>)[Symbol.for('fluent-schema-object')]
  return isFluent ? (schema as { valueOf (): unknown }).valueOf() : schema
}

/** The entries of an object whose keys the user chooses. */
function entriesIn (given: unknown, option: string): [string, unknown][] {
  if (given === undefined) return []
  if (!isObject(given) || Array.isArray(given)) throw invalid(option, 'an object', given)
  return Object.entries(given).filter(([, value]) => value !== undefined)
}

function fieldsOf (given: unknown, option: string, known: readonly string[]): Fields {
  const fields = new Map(entriesIn(given ?? null, option))
  for (const name of fields.keys()) {
    if (known.includes(name)) continue
    throw new VersionChangeOptionError(
      `Change ${option} has no option "${name}", but ${known.join(', ')}.${suggestionFor(name, known)}`
    )
  }
  return fields
}

function invalid (option: string, expected: string, value: unknown): Error {
  return new VersionChangeOptionError(`Invalid change ${option}: expected ${expected}, got ${show(value)}.`)
}
