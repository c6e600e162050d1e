import { isDeepStrictEqual } from 'node:util'

import { adviceOf } from '../between-versions/advice.ts'
import { exampleIn, examplesOf } from '../between-versions/changes.ts'
import { Comparisons, withoutHeads } from '../between-versions/comparison.ts'
import { checkOptions } from '../between-versions/options.ts'
import { VersioningOptionError, must, mustBeIn } from '../errors.ts'
import { eventsOf } from '../events/events.ts'
import { show } from '../messages.ts'
import { DATE } from '../openapi/markdown.ts'
import { toArray } from '../options/read.ts'
import { GONE, NEW, Notes, releasedOn } from './items.ts'

import type { FastifyInstance } from 'fastify'
import type { Advice } from '../between-versions/advice.ts'
import type { AppliedChange } from '../between-versions/changes.ts'
import type { Notice } from '../between-versions/comparison.ts'
import type { Endpoints } from '../between-versions/endpoints.ts'
import type { ChangelogOptions, GuideOptions, Release, ReleaseItem } from '../../types/changelog.d.ts'
import type { Note } from './items.ts'

export function changelog (app: object, options: ChangelogOptions = {}): Release[] {
  const comparisons: Comparisons = comparisonsOf(app as FastifyInstance)
  checkOptions(options, ['from', 'to'], "{ from: 'v1', to: 'v2' }")
  const { from, to } = options
  const { versions } = comparisons
  for (const [name, version] of Object.entries(options)) if (version !== undefined) comparisons.check(name, version)
  const start = from === undefined ? 0 : versions.indexOf(from) + 1
  const end = to === undefined ? versions.length : versions.indexOf(to) + 1
  must(start <= end, 'from', `a version that is not newer than ${show(to)} ("to")`, from)
  return versions.slice(start, end).map((name, i) => release(comparisons, versions[start + i - 1], name)).reverse()
}

export function guide (app: object, options: GuideOptions): Release {
  const comparisons: Comparisons = comparisonsOf(app as FastifyInstance)
  checkOptions(options, ['from', 'to', 'endpoints'], "{ from: 'v1', to: 'v2' }")
  const { from, to, endpoints } = options
  for (const [name, version] of Object.entries({ from, to })) comparisons.check(name, version)
  const [start, end] = [from, to].map((version) => comparisons.versions.indexOf(version))
  must(start <= end, 'to', `a version that is not older than ${show(from)} ("from")`, to)
  const list = (endpoints === undefined ? [] : toArray(endpoints)) as Array<string | Notice> | null
  const isList = list?.every((it) => typeof (Object(it).url ?? it) === 'string') ?? false
  must(isList, 'endpoints', "a list such as ['GET /bookings']", endpoints)
  const names = endpoints && list?.map((it) => typeof it === 'string' ? it : `${it.method} ${it.url}`)
  return release(comparisons, from, to, { names })
}

const byApp = new WeakMap<FastifyInstance, Comparisons>()

/** An app that is ready does not change any more. */
function comparisonsOf (app: FastifyInstance): Comparisons {
  const comparisons = byApp.get(app) ?? new Comparisons(app)
  if (comparisons.versions.length === 0 && eventsOf(app) !== undefined) {
    throw new VersioningOptionError('Declare a route: the versions that routes serve are compared, and this app has ' +
      'only events.', 'changelog.md#functions')
  }
  byApp.set(app, comparisons)
  return comparisons
}

/** @param guided the endpoints of one client, or all, in a guide: it says what ends in every version, too */
function release (
  comparisons: Comparisons, previous: string | undefined, version: string, guided?: { names: string[] | undefined }
): Release {
  const items = previous === undefined ? [] : itemsOfVersions(comparisons, previous, version, guided)
  const { released, deprecated, sunset, info, preview } = comparisons.about(version)
  return {
    version,
    previous: previous ?? null,
    released: released?.toISOString() ?? releasedOn(version),
    isPreview: preview,
    deprecated: deprecated?.toISOString() ?? null,
    sunset: sunset?.toISOString() ?? null,
    info,
    items
  }
}

/** @throws FST_ERR_VERSIONING_OPTION for an endpoint that neither version has */
function itemsOfVersions (
  comparisons: Comparisons, from: string, to: string, guided?: { names: string[] | undefined }
): ReleaseItem[] {
  const only = guided?.names
  const { events, notices, others } = comparisons.between(from, to)
  // A parameter may have another name in either version.
  const keyByName = new Map([from, to].flatMap((version) => [...comparisons.endpoints.get(version) as Endpoints])
    .map(([key, { method, url }]) => [`${method} ${url}`, key]))
  for (const name of only ?? []) mustBeIn([...keyByName.keys()], 'endpoints', `endpoints of ${from} or ${to}`, name)
  const notes = new Notes()
  const said = withoutHeads(notices, only?.map((name) => keyByName.get(name) as string))
  for (const notice of said) {
    if (guided !== undefined) noteEnd(notes, notice)
    noteEndpoint(notes, notice, from, to)
  }
  if (only !== undefined) return notes.items()
  for (const { changes, differences, isAdditive } of events) {
    const note = { urgency: isAdditive ? 'added' : 'breaking', endpoint: '' } as const
    for (const change of changes) noteChange(notes.ofChanges([change]), change, note, from, to)
    for (const advice of differences.map(adviceOf)) {
      notes.ofChanges(causesOf(advice, changes)).push({ ...note, urgency: advice.kind, advice })
    }
  }
  for (const advice of others.map(adviceOf)) {
    notes.of(`text ${advice.text}`).push({ urgency: advice.kind, endpoint: '', advice })
  }
  return notes.items()
}

/** An endpoint that is retired itself ends in every version. */
function noteEnd (notes: Notes, { after, method, url }: Notice): void {
  const retirement = after.find((route) => route.retirement !== undefined)?.retirement
  if (retirement === undefined) return
  const { sunsetAt } = retirement
  const sentence = sunsetAt === null ? 'Deprecated endpoints:' : `Endpoints that end on ${DATE.format(sunsetAt)}:`
  notes.of(sentence).push({ urgency: 'breaking', endpoint: `${method} ${url}`, sentence })
}

/** Each difference of an endpoint belongs to the changes that may have made it, or else to its other handler. */
function noteEndpoint (notes: Notes, notice: Notice, from: string, to: string): void {
  const { after, before, changes, differences, hasOtherHandler, isAdditive, isDescribed } = notice
  const endpoint = `${notice.method} ${notice.url}`
  const isNew = before.length === 0
  const advices = differences.map((difference) => adviceOf(isNew ? { ...difference, kind: 'added' } : difference))
  if (isNew || after.length === 0) {
    if ([...before, ...after].every(({ options: { schema } }) => schema?.hide === true)) return
    const note = { urgency: isNew ? 'added' : 'breaking', endpoint } as const
    const sentence = isNew ? NEW : GONE
    // A sentence may say where it has gone.
    for (const change of changes) notes.ofChanges([change]).push({ ...note, sentence: change.description })
    notes.of(sentence).push({ ...note, sentence })
    for (const advice of advices) notes.of(sentence).push({ urgency: advice.kind, endpoint, advice })
    return
  }
  const urgency = !hasOtherHandler && isAdditive ? 'added' : isDescribed ? 'unknown' : 'breaking'
  for (const change of changes) noteChange(notes.ofChanges([change]), change, { urgency, endpoint }, from, to)
  const ofHandler = () => {
    const told = notes.of(`handler ${advices.length === 0 ? urgency : endpoint}`)
    told.push({ urgency, endpoint, sentence: 'Answers differently:' })
    return told
  }
  if (hasOtherHandler && changes.length === 0 && advices.length === 0) ofHandler()
  for (const advice of advices) {
    const causes = causesOf(advice, changes, hasOtherHandler)
    const ofNone = () => hasOtherHandler ? ofHandler() : notes.of(`text ${advice.text}`)
    const told = causes.length > 0 ? notes.ofChanges(causes) : ofNone()
    told.push({ urgency: advice.kind, endpoint, advice })
  }
}

/**
 * The changes that may have made a difference: those that alter its part, or else any part, or its shared schema. What
 * another handler answers itself is not of a change that names only other schemas.
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

/** A change says its sentence, and what its functions make of the first example in the schemas that it changes. */
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
