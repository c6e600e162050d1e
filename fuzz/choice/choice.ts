import fc from 'fast-check'
import diagnosticsChannel from 'node:diagnostics_channel'

import { Mismatch, compare } from '../fuzzer.ts'
import { apps, requests, sent, start } from './apps.ts'
import { Model } from './model.ts'

import type { FastifyError, FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Fuzzer } from '../fuzzer.ts'
import type { AppSpec, RequestSpec } from './apps.ts'
import type { Expected, Usage } from './model.ts'

interface Case { app: AppSpec, asked: RequestSpec[] }

/** One URL, a handler for each version: apps with their requests, against `Model`. */
export const choice: Fuzzer<Case> = {
  name: 'choice',
  batch: 50,
  cases: fc.record({ app: apps, asked: fc.array(requests, { minLength: 5, maxLength: 25, size: 'max' }) }),
  async check ({ app: spec, asked }) {
    const model = new Model(spec)
    const { errors } = model
    const app = await start(spec).catch((error: FastifyError) => error)
    if (app instanceof Error) {
      if (errors.includes(app.code)) return 1
      throw new Mismatch(spec, errors.join(' or ') || 'an app that boots', String(app))
    }
    if (errors.length > 0) throw new Mismatch(spec, errors.join(' or '), 'an app that boots')
    try {
      for (const request of asked) {
        const expected = model.expect(request)
        const asSent = sent(request, spec.router)
        const body = request.method === 'HEAD' ? null : expected.body
        compare({ app: spec, request: asSent }, { ...expected, body }, await answerOf(app, asSent))
      }
    } finally {
      await app.close()
    }
    return asked.length
  }
}

/** The answer, and the usage event that has been published meanwhile. */
async function answerOf (app: FastifyInstance, request: InjectOptions): Promise<Expected> {
  let usage: Usage | null = null
  const take = (event: unknown): void => {
    const { version, requested, isDefault, outcome, reason, place } = event as Usage
    usage = { version, requested, isDefault, outcome, reason, place }
  }
  diagnosticsChannel.subscribe('fastify-versioning:version', take)
  try {
    const { statusCode, headers, body } = await app.inject(request)
    return {
      status: statusCode,
      route: headers['route'] === undefined ? null : Number(headers['route']),
      body: request.method === 'HEAD' ? null : contentOf(JSON.parse(body)),
      served: headers['served'] as string | undefined ?? null,
      vary: listed(headers, 'vary').map((name) => name.toLowerCase()).sort(),
      deprecation: headers['deprecation'] !== undefined,
      supported: listed(headers, 'api-supported-versions').filter(isMember),
      deprecated: listed(headers, 'api-deprecated-versions').filter(isMember),
      usage
    }
  } finally {
    diagnosticsChannel.unsubscribe('fastify-versioning:version', take)
  }
}

/** The version that a handler has seen, or what a refusal says. */
function contentOf (content: ReturnType<JSON['parse']>): Expected['body'] {
  if (Array.isArray(content)) return content[0]
  const { code, allowedVersions, reason } = content
  return code === undefined ? 'plain' : { code, allowed: allowedVersions?.filter(isMember) ?? null, reason }
}

function listed (headers: LightMyRequestResponse['headers'], name: string): string[] {
  return headers[name] === undefined ? [] : String(headers[name]).split(',').map((member) => member.trim())
}

/** A list may include null and the default version, which is not a member, or leave them out. */
function isMember (version: string | null): version is string {
  return version !== null && version !== 'v0'
}
