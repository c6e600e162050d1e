import fc from 'fast-check'

import { apps, declared, helpers, requests, sent } from '../choice/apps.ts'
import { Model } from '../choice/model.ts'
import { Mismatch } from '../fuzzer.ts'
import { programOf, sourceOf, start } from '../program.ts'

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { AppSpec, Constraints, ContextSpec, RequestSpec, RouteSpec, Settings, Spec } from '../choice/apps.ts'
import type { Fuzzer } from '../fuzzer.ts'
import type { App, Child } from '../program.ts'

interface Case { app: AppSpec, asked: RequestSpec[], order: number[] }

/**
 * Changes without a meaning do not change the answers. Such are another order of options, of versions in a list, of
 * routes or of contexts. So is a context around some of the routes, with or without the settings that it has anyway.
 */
export const order: Fuzzer<Case> = {
  name: 'order',
  batch: 25,
  cases: fc.record({
    app: apps,
    asked: fc.array(requests, { minLength: 5, maxLength: 25, size: 'max' }),
    order: fc.array(fc.nat(99), { minLength: 12, maxLength: 12 })
  }),
  async check ({ app: spec, asked, order }) {
    if (new Model(spec).errors.length > 0 || !isFree(spec.children)) return 0
    const marked = { ...spec, children: mark(spec.children) }
    const one = sourceOf(withRouteNames(declared(marked), marked), helpers)
    const changed = changedBy(marked, order)
    // Some orders are refused: docs/errors.md, "Conflicts at boot".
    if (new Model(changed).errors.length > 0) return 0
    const other = sourceOf(withRouteNames(declared(changed), changed, order), helpers)
    const apps = [await start(one)]
    try {
      apps.push(await started(other, one))
      for (const request of asked) await compare(apps, [one, other], sent(request))
    } finally {
      await Promise.all(apps.map((app) => app.close()))
    }
    return asked.length
  }
}

async function started (source: string, first: string): Promise<FastifyInstance> {
  try {
    return await start(source)
  } catch (error) {
    const programs = `${source}\n\n// The same in another order boots:\n\n${first}`
    throw new Mismatch(programs, 'an app that boots', String(error))
  }
}

async function compare (
  [one, other]: readonly FastifyInstance[], [first, second]: readonly string[], request: InjectOptions
): Promise<void> {
  const expected = seen(await one!.inject(request))
  const got = seen(await other!.inject(request))
  if (JSON.stringify(expected) === JSON.stringify(got)) return
  const programs = `${programOf(first!, request)}\n\n// In another order:\n\n${programOf(second!, request)}`
  throw new Mismatch(programs, expected, got)
}

function seen ({ statusCode, headers, body }: LightMyRequestResponse): object {
  const { date: _date, ...others } = headers
  const vary = String(headers['vary'] ?? '').split(', ').sort().join()
  const sorted = Object.entries({ ...others, vary }).sort(([a], [b]) => a < b ? -1 : 1)
  return { statusCode, body: inOneOrder(body), headers: sorted }
}

/** Without `allowedVersions` there is no release order: a refusal lists the versions as they were declared. */
function inOneOrder (body: string): string {
  return body.replace(/v\d(?:"?,[ "]v\d)+/g, (list) => list.replace(/[ "]/g, '').split(',').sort().join())
}

/** The last one of several routes with as many constraints wins. */
function isFree (specs: readonly Spec[]): boolean {
  const routes = flat(specs)
  return !(routes.some(({ constraints }) => isOnly(constraints, 'host')) &&
    routes.some(({ constraints }) => isOnly(constraints, 'tenant')))
}

function isOnly (constraints: Constraints, name: keyof Constraints): boolean {
  const names = Object.entries(constraints).filter(([, value]) => value !== undefined)
  return names.length === 1 && names[0]![0] === name
}

function flat (specs: readonly Spec[]): RouteSpec[] {
  return specs.flatMap((spec) => 'children' in spec ? flat(spec.children) : [spec])
}

// A route keeps its mark when it moves.

type Marked = RouteSpec & { readonly mark: number }

function mark (specs: readonly Spec[]): Spec[] {
  let count = 0
  const walk = (all: readonly Spec[]): Spec[] => all.map((spec) => {
    return 'children' in spec ? { ...spec, children: walk(spec.children) } : { ...spec, mark: count++ } as Spec
  })
  return walk(specs)
}

/** The app, whose routes answer with their marks, and whose options are in another order. */
function withRouteNames (app: App, spec: AppSpec, order?: readonly number[]): App {
  const marks = flat(spec.children).map((route) => (route as Marked).mark)
  const walk = (children: readonly Child[]): Child[] => children.map((child) => {
    if ('url' in child) {
      const handler = { text: child.handler.text.replace(/'Route', '\d+'/, `'Route', '${marks.shift()}'`) }
      return { ...child, options: turned(child.options, order), handler: Object.assign(child.handler, handler) }
    }
    return {
      register: turned(child.register, order),
      plugin: child.plugin && turned(child.plugin, order),
      children: walk(child.children)
    }
  })
  return { ...app, plugin: turned(app.plugin, order), children: walk(app.children) }
}

function turned (options: object, order: readonly number[] | undefined): object {
  return order === undefined ? options : Object.fromEntries(shuffled(Object.entries(options), order))
}

function shuffled<Value> (values: readonly Value[], order: readonly number[]): Value[] {
  const keys = new Map(values.map((value, i) => [value, order[i % order.length]! * 100 + i]))
  return [...values].sort((a, b) => keys.get(a)! - keys.get(b)!)
}

/** Another order of routes and contexts, lists of versions turned round, and a context more. */
function changedBy (app: AppSpec, order: readonly number[]): AppSpec {
  return { ...app, children: changeIn(app.children, app.settings) }

  function changeIn (specs: readonly Spec[], inherited: Settings): Spec[] {
    const children = shuffled(specs, order).map((spec) => {
      return 'children' in spec ? inContext(spec, inherited) : inRoute(spec)
    })
    const [at = 0, what = 0] = order
    const cut = at % (children.length + 1)
    const settings = [undefined, {}, { scheme: inherited.scheme }, {
      defaultVersion: inherited.defaultVersion, allowedVersions: inherited.allowedVersions
    }][what % 4]
    return [...children.slice(0, cut), { settings, children: children.slice(cut) }]
  }

  function inContext (spec: ContextSpec, inherited: Settings): ContextSpec {
    const own = Object.fromEntries(Object.entries(spec.settings ?? {}).filter(([, value]) => value !== undefined))
    return { ...spec, children: changeIn(spec.children, { ...inherited, ...own }) }
  }
}

function inRoute (route: RouteSpec): RouteSpec {
  const { version, constraints } = route
  return {
    ...route,
    version: Array.isArray(version) ? [...version].reverse() : version,
    constraints: Object.fromEntries(Object.entries(constraints).reverse())
  }
}
