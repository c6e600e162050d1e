import fc from 'fast-check'
import diagnosticsChannel from 'node:diagnostics_channel'
import { isDeepStrictEqual } from 'node:util'

import { start } from '../app.ts'
import { Mismatch } from '../fuzzer.ts'
import { apps, declared, requests, sent } from './apps.ts'
import { Model, isDeprecated } from './model.ts'

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'
import type { AppSpec, RequestSpec } from './apps.ts'
import type { Bounds, Expected, Usage } from './model.ts'

interface Case { app: AppSpec, asked: RequestSpec[] }

/** One URL, a handler for each version: apps with their requests, against `Model`. */
export const choice: Fuzzer<Case> = {
  name: 'choice',
  batch: 50,
  cases: fc.record({ app: apps, asked: fc.array(requests, { minLength: 5, maxLength: 25, size: 'max' }) }),
  async check ({ app: spec, asked }) {
    const model = new Model(spec)
    const app = await boot(spec, model.errors)
    if (app === null) return 1
    try {
      for (const request of asked) await compare(app, spec, model, request)
    } finally {
      await app.close()
    }
    return asked.length
  }
}

/** An app that must not boot is null. */
async function boot (spec: AppSpec, codes: readonly string[]): Promise<FastifyInstance | null> {
  let app
  try {
    app = await start(declared(spec))
  } catch (error) {
    if (codes.includes(String((error as { code?: unknown }).code))) return null
    throw new Mismatch(spec, codes.join(' or ') || 'an app that boots', String(error))
  }
  if (codes.length > 0) throw new Mismatch(spec, codes.join(' or '), 'an app that boots')
  return app
}

async function compare (
  app: FastifyInstance, spec: AppSpec, model: Model, request: RequestSpec
): Promise<void> {
  const expected = model.expect(request)
  const [response, usage] = await withUsage(async () => app.inject(sent(request)))
  const got = { ...seen(response, request.method), usage }
  // If the version in such a path chooses the handler, the request may be refused. It is never misrouted.
  const mayBeRefused = request.path.includes('//') && expected.usage?.place === 'path'
  if (mayBeRefused && usage?.reason === 'unserved') return
  if (!isAnswer(expected, got, spec, request.method)) {
    throw new Mismatch({ app: spec, request: sent(request) }, expected, got)
  }
}

/** The answer, and the usage event that has been published meanwhile. */
async function withUsage<Answer> (ask: () => Promise<Answer>): Promise<[Answer, Usage | null]> {
  let usage: Usage | null = null
  const take = (event: unknown): void => {
    const { version, requested, isDefault, outcome, reason, place } = event as Usage
    usage = { version, requested, isDefault, outcome, reason, place }
  }
  diagnosticsChannel.subscribe('fastify-versioning:version', take)
  try {
    const answer = await ask()
    return [answer, usage]
  } finally {
    diagnosticsChannel.unsubscribe('fastify-versioning:version', take)
  }
}

interface Seen {
  readonly status: number
  readonly code: string | null
  readonly route: number | null
  readonly version?: string | null
  readonly served: string | null
  readonly vary: readonly string[]
  readonly deprecation: boolean
  readonly supported: readonly string[]
  readonly deprecated: readonly string[]
  readonly allowed?: readonly string[] | null
  readonly reason?: string
  readonly usage?: Usage | null
}

function seen ({ statusCode, headers, body }: LightMyRequestResponse, method: string): Seen {
  const content = method === 'HEAD' || body === '' ? null : JSON.parse(body)
  return {
    status: statusCode,
    code: statusCode === 200 ? null : content?.code ?? 'plain',
    route: headers['route'] === undefined ? null : Number(headers['route']),
    version: statusCode === 200 ? content?.[0] : null,
    served: headers['served'] as string | undefined ?? null,
    vary: list(headers['vary']).map((name) => name.toLowerCase()).sort(),
    deprecation: headers['deprecation'] !== undefined,
    supported: list(headers['api-supported-versions']),
    deprecated: list(headers['api-deprecated-versions']),
    allowed: content?.allowedVersions,
    reason: content?.reason
  }
}

function list (header: number | string | string[] | undefined): string[] {
  return header === undefined ? [] : String(header).split(',').map((member) => member.trim())
}

function isAnswer (expected: Expected, got: Seen, spec: AppSpec, method: string): boolean {
  const { status, code, route, version, vary, deprecation, supported, allowed, usage } = expected
  const body = method === 'HEAD' || (
    got.code === code &&
    (code !== null || got.version === version) &&
    (code === null || code === 'plain' || isAllowed(allowed, got.allowed)) &&
    (code === null || got.reason === usage?.reason)
  )
  // An empty version cannot be sent in a header.
  const isServed = spec.settings.servedVersion !== null && status !== 410 && version !== ''
  const served = isServed ? version : null
  return body && got.status === status && got.route === route && got.served === served &&
    String(got.vary) === String(vary) && got.deprecation === deprecation &&
    isWithin(supported, got.supported.filter(isMember)) &&
    isDeepStrictEqual(got.usage, usage) &&
    String(got.deprecated) === String(got.supported.filter((version) => isDeprecated(spec, version)))
}

function isAllowed (bounds: Bounds | null, got: readonly (string | null)[] | null | undefined): boolean {
  if (bounds === null) return got === null || got === undefined
  if (got === null || got === undefined) return false
  return isWithin(bounds, got.filter(isMember))
}

/** The list may include null and the default version, which is not a member, or leave them out. */
function isMember (version: string | null): version is string {
  return version !== null && version !== 'v0'
}

/** Whether all of the least is there, nothing but the most, and in its order. */
function isWithin ({ least, most, ordered }: Bounds, got: readonly string[]): boolean {
  const inOrder = most.filter((version) => got.includes(version))
  return least.every((version) => got.includes(version)) &&
    (ordered ? String(inOrder) === String(got) : inOrder.length === got.length)
}
