import { isDeepStrictEqual } from 'node:util'

import { adviceOf } from '../between-versions/advice.ts'
import { exampleIn } from '../between-versions/changes.ts'
import { Comparisons } from '../between-versions/comparison.ts'
import { addSentence, invalidOption, must } from '../errors.ts'
import { show, suggestionFor, unknownName } from '../messages.ts'
import { GONE, NEW, Notes, dateIn } from './items.ts'

import type { FastifyInstance } from 'fastify'
import type { Advice } from '../between-versions/advice.ts'
import type { AppliedChange } from '../between-versions/changes.ts'
import type { Notice } from '../between-versions/comparison.ts'
import type { ChangelogOptions, GuideOptions, Release, ReleaseItem } from '../../types/changelog.d.ts'
import type { Note } from './items.ts'

export function changelog (app: object, { from, to, ...others }: ChangelogOptions = {}): Release[] {
  const comparisons: Comparisons = comparisonsOf(app as FastifyInstance)
  const [option] = Object.keys(others)
  if (option !== undefined) throw new TypeError(unknownName('option', option, ['from', 'to']))
  const { versions } = comparisons
  if (from !== undefined) comparisons.check('from', from)
  if (to !== undefined) comparisons.check('to', to)
  const start = from === undefined ? 0 : versions.indexOf(from) + 1
  const end = to === undefined ? versions.length : versions.indexOf(to) + 1
  must(start <= end, 'from', `a version that is not newer than ${show(to)} ("to")`, from)
  return versions.slice(start, end)
    .map((version, i) => release(comparisons, versions[start + i - 1] ?? null, version, null)).reverse()
}

export function guide (app: object, { from, to, endpoints }: GuideOptions): Release {
  const comparisons = comparisonsOf(app as FastifyInstance)
  const { versions } = comparisons
  const isBackwards = versions.includes(to) && versions.indexOf(from) > versions.indexOf(to)
  must(!isBackwards, 'to', `a version that is not older than ${show(from)} ("from")`, to)
  const names = endpoints && [...endpoints].map((it) => typeof it === 'string' ? it : `${it.method} ${it.url}`)
  return release(comparisons, from, to, names ?? null)
}

const byApp = new WeakMap<FastifyInstance, Comparisons>()

/** An app that is ready does not change any more. */
function comparisonsOf (app: FastifyInstance): Comparisons {
  const comparisons = byApp.get(app) ?? new Comparisons(app)
  byApp.set(app, comparisons)
  return comparisons
}

function release (comparisons: Comparisons, previous: string | null, version: string, only: string[] | null): Release {
  const items = previous === null ? [] : itemsBetween(comparisons, previous, version, only)
  const { released, deprecated, sunset, info, preview } = comparisons.about(version)
  return {
    version,
    previous,
    released: released?.toISOString() ?? dateIn(version),
    isPreview: preview,
    deprecated: deprecated?.toISOString() ?? null,
    sunset: sunset?.toISOString() ?? null,
    info,
    items
  }
}

/** @throws FST_ERR_VERSIONING_OPTION for an endpoint that neither version has */
function itemsBetween (comparisons: Comparisons, from: string, to: string, only: string[] | null): ReleaseItem[] {
  const { notices, others } = comparisons.between(from, to)
  const keys = [...notices].filter(([, { isAdded }]) => !isAdded).map(([key]) => key)
  const unknown = only?.find((key) => !notices.has(key))
  if (unknown !== undefined) {
    const error = invalidOption('endpoints', `endpoints of ${from} or ${to}`, unknown)
    throw addSentence(error, suggestionFor(unknown, keys))
  }
  const notes = new Notes()
  for (const key of only ?? keys) noteEndpoint(notes, key, notices.get(key) as Notice, from, to)
  const rest = only === null ? others.map(adviceOf) : []
  for (const advice of rest) notes.of(`text ${advice.text}`).push({ urgency: advice.kind, endpoint: '', advice })
  return notes.items()
}

/** Each difference of an endpoint belongs to the changes that may have made it, or else to its other handler. */
function noteEndpoint (notes: Notes, endpoint: string, notice: Notice, from: string, to: string): void {
  const { after, before, changes, differences, hasOtherHandler, isAdditive, isDescribed } = notice
  const advices = differences.map(adviceOf)
  const isNew = before.length === 0
  if (isNew || after.length === 0) {
    const sentence = isNew ? NEW : GONE
    notes.of(sentence).push({ urgency: isNew ? 'added' : 'breaking', endpoint, sentence })
    for (const advice of advices) {
      const kind = isNew ? 'added' : advice.kind
      notes.of(sentence).push({ urgency: kind, endpoint, advice: { ...advice, kind } })
    }
    return
  }
  const isEqual = !hasOtherHandler && isAdditive
  const urgency = isEqual ? 'added' : isDescribed ? 'unknown' : 'breaking'
  const ofChange = ({ version, description }: AppliedChange) => notes.of(`change ${version} ${description}`)
  for (const change of changes) ofChange(change).push({ urgency, endpoint, sentence: change.description })
  const isUntold = hasOtherHandler && changes.length === 0
  const ofHandler = isUntold ? notes.of(`handler ${advices.length === 0 || endpoint}`) : null
  ofHandler?.push({ urgency, endpoint, sentence: 'Answers differently:' })
  for (const advice of advices) {
    const causes = causesOf(advice, changes).map(ofChange)
    const told = causes.length > 0 ? notes.join(causes) : ofHandler ?? notes.of(`text ${advice.text}`)
    told.push({ urgency: advice.kind, endpoint, advice })
  }
  for (const change of changes) noteExamples(ofChange(change), change, from, to)
}

/** The changes that may have made a difference: those that alter its part, or else any part. */
function causesOf ({ part }: Advice, changes: readonly AppliedChange[]): readonly AppliedChange[] {
  const altering = changes.filter(({ parts }) => parts.includes(part))
  return altering.length > 0 ? altering : changes.filter(({ parts }) => parts.length === 0)
}

/** What the functions of a change make of the first example in the schemas that it changes. */
function noteExamples (notes: Note[], { read, server }: AppliedChange, from: string, to: string): void {
  for (const schema of Object.keys(read.change.schemas ?? {})) {
    const { examples } = Object(server.getSchema(schema)) as { readonly examples?: unknown }
    const [example] = Array.isArray(examples) ? examples as unknown[] : []
    if (example === undefined || notes.some((existing) => existing.example?.schema === schema)) continue
    const [before, after] = [from, to].map((version) => exampleIn(server, schema, example, version))
    if (before === undefined || isDeepStrictEqual(before, after)) continue
    notes.push({ urgency: 'added', endpoint: '', example: { schema, before, after } })
  }
}
