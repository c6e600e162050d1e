import { isDeepStrictEqual } from 'node:util'

import { adviceOf } from '../between-versions/advice.ts'
import { exampleIn } from '../between-versions/changes.ts'
import { Comparisons } from '../between-versions/comparison.ts'
import { addSentence, invalidOption, must } from '../errors.ts'
import { show, suggestionFor, unknownName } from '../messages.ts'
import { dateIn } from './release-date.ts'
import { Draft, GONE, NEW, toItems } from './items.ts'

import type { FastifyInstance } from 'fastify'
import type { Advice } from '../between-versions/advice.ts'
import type { Notice } from '../between-versions/comparison.ts'
import type { ChangelogOptions, GuideOptions, Release } from '../../types/changelog.d.ts'

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
    .map((version, i) => release(app as FastifyInstance, versions[start + i - 1] ?? null, version, null)).reverse()
}

export function guide (app: object, { from, to, endpoints }: GuideOptions): Release {
  const { versions } = comparisonsOf(app as FastifyInstance)
  const isBackwards = versions.includes(to) && versions.indexOf(from) > versions.indexOf(to)
  must(!isBackwards, 'to', `a version that is not older than ${show(from)} ("from")`, to)
  const names = endpoints && [...endpoints].map((it) => typeof it === 'string' ? it : `${it.method} ${it.url}`)
  return release(app as FastifyInstance, from, to, names ?? null)
}

const byApp = new WeakMap<FastifyInstance, Comparisons>()

/** An app that is ready does not change any more. */
function comparisonsOf (app: FastifyInstance): Comparisons {
  const comparisons = byApp.get(app) ?? new Comparisons(app)
  byApp.set(app, comparisons)
  return comparisons
}

function release (app: FastifyInstance, previous: string | null, version: string, only: string[] | null): Release {
  const comparisons = comparisonsOf(app)
  const items = previous === null ? [] : toItems(draftsOf(comparisons, previous, version, only))
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
function draftsOf (comparisons: Comparisons, from: string, to: string, only: string[] | null): Iterable<Draft> {
  const { notices, others } = comparisons.between(from, to)
  const keys = [...notices].filter(([, { isAdded }]) => !isAdded).map(([key]) => key)
  const unknown = only?.find((key) => !notices.has(key))
  if (unknown !== undefined) {
    const error = invalidOption('endpoints', `endpoints of ${from} or ${to}`, unknown)
    throw addSentence(error, suggestionFor(unknown, keys))
  }
  const drafts = new Map<string, Draft>()
  const draft = (key: string, urgency: 'breaking' | 'unknown' | 'added', ...sentences: string[]) => {
    const made = drafts.get(key) ?? new Draft(urgency, ...sentences)
    drafts.set(key, made)
    made.raise(urgency)
    return made
  }
  for (const key of only ?? keys) {
    const notice = notices.get(key) as Notice
    const { after, before, changes, differences, hasOtherHandler, isAdditive, isDescribed } = notice
    const advices = differences.map(adviceOf)
    if (before.length === 0 || after.length === 0) {
      const whole = before.length === 0 ? draft('new', 'added', NEW) : draft('gone', 'breaking', GONE)
      whole.add(key)
      for (const advice of advices) whole.add(key, { ...advice, kind: before.length === 0 ? 'added' : advice.kind })
      continue
    }
    const isEqual = !hasOtherHandler && isAdditive
    const urgency = isEqual ? 'added' : isDescribed ? 'unknown' : 'breaking'
    const told = changes.map(({ version, description }) => (
      draft(`change ${version} ${description}`, urgency, description)
    ))
    for (const changeDraft of told) changeDraft.add(key)
    const isUntold = hasOtherHandler && told.length === 0
    const untold = isUntold ? draft(`handler ${advices.length === 0 || key}`, urgency, 'Answers differently:') : null
    untold?.add(key)
    for (const advice of advices) {
      const causes = causesOf(advice, notice).map((i) => told[i])
      const [first, ...more] = causes.length > 0 ? causes : [untold ?? draft(`text ${advice.text}`, advice.kind)]
      first.add(key, advice)
      for (const joined of new Set(more)) {
        if (joined === first) continue
        first.join(joined)
        for (const [name, namedDraft] of drafts) if (namedDraft === joined) drafts.set(name, first)
        for (const [i, changeDraft] of told.entries()) if (changeDraft === joined) told[i] = first
      }
    }
    addExamples(notice, told, from, to)
  }
  const rest = only === null ? others.map(adviceOf) : []
  for (const advice of rest) draft(`text ${advice.text}`, advice.kind).add('', advice)
  return drafts.values()
}

/** The indexes of the changes that may have made a difference: those that alter its part, or else any part. */
function causesOf ({ part }: Advice, { changes }: Notice): number[] {
  const all = [...changes.keys()]
  const altering = all.filter((i) => changes[i].parts.includes(part))
  return altering.length > 0 ? altering : all.filter((i) => changes[i].parts.length === 0)
}

/** What the functions of changes make of the first example in the schemas that they change. */
function addExamples ({ changes }: Notice, told: readonly Draft[], from: string, to: string): void {
  for (const [i, { read, server }] of changes.entries()) {
    for (const schema of Object.keys(read.change.schemas ?? {})) {
      const { examples } = Object(server.getSchema(schema)) as { readonly examples?: unknown }
      const [example] = Array.isArray(examples) ? examples as unknown[] : []
      if (example === undefined || told[i].examples.some((existing) => existing.schema === schema)) continue
      const [before, after] = [from, to].map((version) => tried(() => exampleIn(server, schema, example, version)))
      if (before === undefined || isDeepStrictEqual(before, after)) continue
      told[i].examples.push({ schema, before, after })
    }
  }
}

/** Undefined for an example that a function refuses. */
function tried (make: () => unknown): unknown {
  try {
    return make()
  } catch {
    return undefined
  }
}
