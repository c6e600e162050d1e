import { VersionError } from '../../src/index.ts'
import { appWith, ok } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyReply, FastifyServerOptions, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import type { LinkOptions, ReverseArgs, ReverseKwargs, VersioningOptions } from '../../types/index.d.ts'

export type Scheme = VersioningOptions['scheme']
export type Params = ReverseArgs | ReverseKwargs | null
export type Asked = [name?: string | null, params?: Params | undefined, options?: LinkOptions | undefined]
/** Namespaces, joined by `:`, a path, and the name or the options of its route. */
export type Declared = [namespaces: string, path: string, options?: string | Partial<RouteOptions> | undefined]

/** Refusals of a link: of its name or parameters, of an option, and of the host of the request. */
export const noMatch = { code: 'FST_ERR_NO_REVERSE_MATCH', statusCode: 500 }
export const option = { code: 'FST_ERR_REVERSE_OPTION', statusCode: 500 }
export const badHost = { code: 'FST_ERR_REVERSE_HOST', statusCode: 400 }

/** Declares routes in namespaces, outermost first, each of which is a segment of the prefix, too. */
export function within (
  app: FastifyInstance, [namespace, ...inner]: readonly string[], declare: (scope: FastifyInstance) => unknown
): void {
  app.register(async (scope) => {
    if (inner.length > 0) within(scope, inner, declare)
    else await declare(scope)
  }, { prefix: `/${namespace}`, namespace: namespace as string })
}

export function declare (app: FastifyInstance, routes: readonly Declared[], handler: RouteOptions['handler'] = ok) {
  for (const [namespaces, url, given] of routes) {
    const options = typeof given === 'string' ? { name: given } : given
    const route: RouteOptions = { method: 'GET', url, handler, ...options }
    if (namespaces === '') app.route(route)
    else within(app, namespaces.split(':'), (scope) => scope.route(route))
  }
}

/** An app with handlers, `answer`, that make the link for which `link` asks in a request, also in a refused one. */
export async function linker (t: Test, options: VersioningOptions = {}, server: FastifyServerOptions = {}) {
  const app = await appWith(t, { allowedVersions: ['v1', 'v2'], ...options }, server)
  let asked: Asked = []
  const answer = async (_request: unknown, reply: FastifyReply) => reply.reverse(...asked as [null])
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof VersionError)) throw error
    return answer(request, reply)
  })
  /** The link, or the body of the error. */
  const link = async (request: string | InjectOptions, ...given: Asked): Promise<string | object> => {
    asked = given
    const { body } = await app.inject(request)
    return body.startsWith('{') ? JSON.parse(body) : body
  }
  return { app, answer, link }
}

/** Compares a link, or its error, with what is expected: a link exactly, an error in what is named. */
export function leads (t: Test, link: string | object, expected: string | object, title = ''): void {
  if (typeof expected === 'string') t.equal(link, expected, title)
  else t.match(link, expected, title)
}

/** What a title calls a scheme or a list. */
export function nameOf (scheme: unknown): string {
  return [scheme].flat().map((one) => one && ((one as { name?: string }).name ?? 'an instance')).join(', ')
}
