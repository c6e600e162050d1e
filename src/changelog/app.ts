import { isDeepStrictEqual } from 'node:util'

import { adviceOf } from '../between-versions/advice.ts'
import { exampleIn, examplesOf } from '../between-versions/changes.ts'
import { Comparisons, withoutHeads } from '../between-versions/comparison.ts'
import { checkOptions } from '../between-versions/options.ts'
import { contextOf } from '../context.ts'
import { VersioningOptionError, must, mustBeIn } from '../errors.ts'
import { eventsOf } from '../events/events.ts'
import { show } from '../messages.ts'
import { DATE } from '../openapi/markdown.ts'
import { toArray } from '../options/read.ts'
import { GONE, NEW, Notes, releaseOf } from './items.ts'

import type { FastifyInstance } from 'fastify'
import type { Advice } from '../between-versions/advice.ts'
import type { AppliedChange } from '../between-versions/changes.ts'
import type { Notice } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type { ChangelogOptions, GuideOptions, Release, ReleaseItem } from '../../types/changelog.d.ts'
import type { Route } from '../routes.ts'
import type { Retirement } from '../options/lifecycle.ts'
import type { Note } from './items.ts'

/** The changes and differences at an endpoint that both versions have, in an event, or elsewhere. */
type Differing = Pick<Notice, 'changes' | 'differences'> & Partial<Pick<Notice, 'hasOtherHandler'>>

export function changelog (app: object, options: ChangelogOptions = {}): Release[] {
  const comparisons: Comparisons = comparisonsOf(app as FastifyInstance)
  checkOptions(options, ['from', 'to'], "{ from: 'v1', to: 'v2' }")
  const { from, to } = options
  const { versions } = comparisons
  for (const [name, version] of Object.entries(options)) if (version !== undefined) comparisons.check(name, version)
  const start = from === undefined ? 0 : versions.indexOf(from) + 1
  const end = to === undefined ? versions.length : versions.indexOf(to) + 1
  must(start <= end, 'from', `a version that is not newer than ${show(to)} ("to")`, from)
  return versions.slice(start, end).map((version, i) => {
    const previous: string | undefined = versions[start + i - 1]
    const items = previous === undefined ? [] : itemsOfVersions(comparisons, previous, version)
    return releaseOf(version, previous ?? null, items, comparisons.about(version), nowIn(app))
  }).reverse()
}

export function guide (app: object, options: GuideOptions): Release {
  const comparisons: Comparisons = comparisonsOf(app as FastifyInstance)
  checkOptions(options, ['from', 'to', 'endpoints'], "{ from: 'v1', to: 'v2' }")
  const { from, to, endpoints } = options
  for (const [name, version] of Object.entries({ from, to })) comparisons.check(name, version)
  const [start, end] = [from, to].map((version) => comparisons.versions.indexOf(version))
  must(start <= end, 'to', `a version that is not older than ${show(from)} ("from")`, to)
  const list = (endpoints === undefined ? [] : toArray(endpoints)) as Array<string | Notice> | null
  const isList = list?.every((item) => typeof (Object(item).url ?? item) === 'string') ?? false
  must(isList, 'endpoints', "a list such as ['GET /bookings']", endpoints)
  const names = endpoints && list?.map((item) => typeof item === 'string' ? item : `${item.method} ${item.url}`)
  return releaseOf(to, from, itemsOfVersions(comparisons, from, to, { names }), comparisons.about(to), nowIn(app))
}

/** Returns the time by the clock of an app. */
function nowIn (app: object): number {
  return contextOf(app).now()
}

const byApp = new WeakMap<FastifyInstance, Comparisons>()

/** Returns the comparisons of an app. They are kept, because an app that is ready does not change any more. */
function comparisonsOf (app: FastifyInstance): Comparisons {
  const comparisons = byApp.get(app) ?? new Comparisons(app)
  if (comparisons.versions.length === 0 && eventsOf(app) !== undefined) {
    throw new VersioningOptionError('Declare a route: the versions that routes serve are compared, and this app has ' +
      'only events.', 'changelog.md#functions')
  }
  byApp.set(app, comparisons)
  return comparisons
}

/**
 * Returns the items for a step from one version to another.
 *
 * @param guided the endpoints of one client, or all, in a guide, which also says what ends in every version
 * @throws FST_ERR_VERSIONING_OPTION for an endpoint that neither version has
 */
function itemsOfVersions (
  comparisons: Comparisons, from: string, to: string, guided?: { names: string[] | undefined }
): ReleaseItem[] {
  const only = guided?.names
  const { events, notices, others } = comparisons.between(from, to)
  // Each version may have another name for a parameter.
  const keyByName = new Map([from, to].flatMap((version) => [...comparisons.endpoints.get(version) as Endpoints])
    .map(([key, { method, url }]) => [`${method} ${url}`, key]))
  for (const name of only ?? []) mustBeIn([...keyByName.keys()], 'endpoints', `endpoints of ${from} or ${to}`, name)
  const isShown = comparisons.hasDocuments(from, to)
  const notes = new Notes()
  const shown = withoutHeads(notices, only?.map((name) => keyByName.get(name) as string))
  for (const notice of shown) {
    const { after, before, isAdditive, isDescribed, method, url } = notice
    // Without documents, nobody knows what another schema changes, so it counts as another handler.
    const hasOtherHandler = notice.hasOtherHandler ||
      (!isShown && !isDeepStrictEqual(before.map(schemaOf), after.map(schemaOf)))
    if (guided !== undefined) noteEnd(notes, notice)
    const urgency = !hasOtherHandler && isAdditive ? 'added' : isDescribed ? 'unknown' : 'breaking'
    if (before.length === 0 || after.length === 0) noteWhole(notes, notice)
    else noteDifferences(notes, { ...notice, hasOtherHandler }, { urgency, endpoint: `${method} ${url}` }, from, to)
  }
  if (only !== undefined) return notes.items()
  for (const event of [...events, { changes: [], differences: others, isAdditive: true }]) {
    noteDifferences(notes, event, { urgency: event.isAdditive ? 'added' : 'breaking', endpoint: '' }, from, to)
  }
  return notes.items()
}

function schemaOf ({ options: { schema } }: Route): unknown {
  return schema
}

/** Notes the end of an endpoint that is retired itself, and so ends in every version. */
function noteEnd (notes: Notes, { after, method, url }: Notice): void {
  const ending = after.find((route) => route.retirement !== undefined)
  if (ending === undefined) return
  const { sunsetAt } = ending.retirement as Retirement
  const verb = Number(sunsetAt) <= nowIn(ending.server) ? 'ended' : 'end'
  const sentence = sunsetAt === null ? 'Deprecated endpoints:' : `Endpoints that ${verb} on ${DATE.format(sunsetAt)}:`
  notes.of(sentence).push({ urgency: 'breaking', endpoint: `${method} ${url}`, sentence })
}

/** Notes an endpoint that is new or gone. */
function noteWhole (notes: Notes, { after, before, changes, differences, method, url }: Notice): void {
  if ([...before, ...after].every(({ options: { schema } }) => schema?.hide === true)) return
  const isNew = before.length === 0
  const note = { urgency: isNew ? 'added' : 'breaking', endpoint: `${method} ${url}` } as const
  const sentence = isNew ? NEW : GONE
  // The sentence of a change may say where the endpoint has moved. Nobody called a new one before, so changes of its
  // schemas say nothing of it.
  for (const change of isNew ? changes.filter(({ read }) => read.change.routes) : changes) {
    notes.ofChanges([change]).push({ ...note, sentence: change.description })
  }
  notes.of(sentence).push({ ...note, sentence }, ...differences.map((difference) => {
    const advice = adviceOf(isNew ? { ...difference, kind: 'added' } : difference)
    return { ...note, urgency: advice.kind, advice }
  }))
}

/** Notes each difference with the changes that may have made it, or else with the other handler of its endpoint. */
function noteDifferences (
  notes: Notes, { changes, differences, hasOtherHandler = false }: Differing, note: Note, from: string, to: string
): void {
  for (const change of changes) noteChange(notes.ofChanges([change]), change, note, from, to)
  const ofHandler = { ...note, sentence: 'Answers differently:' }
  if (hasOtherHandler && changes.length + differences.length === 0) notes.of(`handler ${note.urgency}`).push(ofHandler)
  for (const advice of differences.map(adviceOf)) {
    const causes = causesOf(advice, changes, hasOtherHandler)
    const noteOfAdvice = { ...note, urgency: advice.kind, advice }
    if (causes.length > 0) notes.ofChanges(causes).push(noteOfAdvice)
    else if (hasOtherHandler) notes.of(`handler ${note.endpoint}`).push(ofHandler, noteOfAdvice)
    else notes.of(`text ${advice.text}`).push(noteOfAdvice)
  }
}

/**
 * Returns the changes that may have made a difference: changes of its part, or else of unknown parts, and among these
 * only changes of its shared schema if there are any. What another handler answers is not of a change that names only
 * other schemas.
 */
function causesOf (
  { part, schema }: Advice, changes: readonly AppliedChange[], hasOtherHandler = false
): readonly AppliedChange[] {
  const altering = changes.filter(({ parts }) => parts.includes(part))
  const causes = altering.length > 0 ? altering : changes.filter(({ parts }) => parts.length === 0)
  const isOf = ({ read }: AppliedChange) => schema !== null && Object.keys(Object(read.change.schemas)).includes(schema)
  const ofSchema = causes.filter(isOf)
  if (ofSchema.length > 0) return ofSchema
  return hasOtherHandler ? causes.filter(({ read }) => read.change.routes !== undefined) : causes
}

/** Notes the sentence of a change, and what its functions make of the first example in each of its schemas. */
function noteChange (notes: Note[], change: AppliedChange, note: Note, from: string, to: string): void {
  const { description, read, server } = change
  notes.push({ ...note, sentence: description })
  for (const schema of Object.keys(read.change.schemas ?? {})) {
    const [example] = examplesOf(server, schema)
    if (example === undefined || notes.some((existing) => existing.example?.schema === schema)) continue
    const [before, after] = [from, to].map((version) => exampleIn(server, schema, example, version))
    if (before === undefined || isDeepStrictEqual(before, after)) continue
    notes.push({ urgency: 'added', endpoint: '', example: { schema, before, after } })
  }
}
