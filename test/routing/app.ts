import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

import type {
  FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions, InjectOptions, RouteShorthandOptions
} from 'fastify'
import type { Test } from 'tap'
import type { RouteVersions, VersioningOptions } from '../../types/index.d.ts'

export const CODE = 'FST_ERR_VERSIONING_OPTION'
export const allowedVersions = ['v1', 'v2', 'v3', 'v4']
export const settings = { allowedVersions, defaultVersion: 'v2' }
export const byAccept = { scheme: AcceptHeaderVersioning, ...settings }
export const byQuery = { scheme: QueryParameterVersioning, ...settings }

export type Declare = (app: FastifyInstance) => unknown

/** Answers with its own mark and the version, in a header, so that HEAD has them, too. */
export function mark (name: string) {
  return async ({ version }: FastifyRequest, reply: FastifyReply) => (
    reply.header('x-answer', `${name} ${version}`).send('')
  )
}

/** Declares a route with its own mark. */
type Route = (url: string, name: string, version?: RouteVersions | null, options?: RouteShorthandOptions) => Declare
export const get: Route = (url, name, version, options) => (app) => app.get(url, { version, ...options }, mark(name))
export const head: Route = (url, name, version, options) => (app) => app.head(url, { version, ...options }, mark(name))

/** An app with the plugin and these routes. */
export async function appOf (
  t: Test, options: VersioningOptions, routes: readonly Declare[], serverOptions?: FastifyServerOptions
): Promise<FastifyInstance> {
  const app = await appWith(t, options, serverOptions)
  for (const declare of routes) declare(app)
  return app
}

export const accept = (version: string) => ({ headers: { accept: `a/b;version=${version}` } })

/** What answers `/a`, `HEAD /a` or `http://a.example/a`: mark and version of a route, or status and message. */
export async function ask (app: FastifyInstance, request: string, more: InjectOptions = {}): Promise<string> {
  const [, method = 'GET', host, url] = /^(?:([A-Z]+) )?(?:http:\/\/([^/]+))?(.*)$/.exec(request) as string[]
  const response = await app.inject({
    method: method as 'GET', url, ...more, headers: { ...host && { host }, ...more.headers }
  })
  const { headers, statusCode, body } = response
  if (headers['x-answer'] !== undefined) return String(headers['x-answer'])
  return method === 'HEAD' ? String(statusCode) : `${statusCode} ${JSON.parse(body).message}`
}

export type Answers = [request: string, answer: string | RegExp][]

/** Expects the answers of requests, as `ask` takes them. */
export async function expectAnswers (t: Test, app: FastifyInstance, answers: Answers, more?: InjectOptions) {
  for (const [request, wanted] of answers) {
    const answer = await ask(app, request, more)
    if (typeof wanted === 'string') t.equal(answer, wanted, request)
    else t.match(answer, wanted, request)
  }
}
