import Fastify from 'fastify'
import versioning from 'fastify-versioning'

import type { FastifyInstance, RouteOptions } from 'fastify'

/** An app as data: what `start` runs, and a failure prints. Fields that are undefined are left out. */
export interface App {
  /** Options of Fastify. */
  readonly server?: object | undefined
  /** Options of the plugin at the root. */
  readonly plugin: object
  readonly errorHandler?: Parameters<FastifyInstance['setErrorHandler']>[0]
  /** Routes and contexts in the order of their declaration. */
  readonly children: readonly Child[]
}

export type Child = Route | Context

export interface Route {
  readonly method: string | string[]
  readonly url: string
  readonly options: object
  readonly handler: RouteOptions['handler']
}

interface Context {
  /** Options of `register`. */
  readonly register: object
  /** Options of the plugin in this context, or undefined if it is not registered there. */
  readonly plugin?: object | undefined
  readonly children: readonly Child[]
}

export async function start ({ server, plugin, errorHandler, children }: App): Promise<FastifyInstance> {
  const app = Fastify(defined(server ?? {}))
  await app.register(versioning, defined(plugin))
  if (errorHandler !== undefined) app.setErrorHandler(errorHandler)
  await declare(app, children)
  await app.ready()
  return app
}

async function declare (app: FastifyInstance, children: readonly Child[]): Promise<void> {
  for (const child of children) {
    if ('url' in child) {
      const { options, ...route } = child
      app.route({ ...route, ...defined(options) } as RouteOptions)
    } else {
      await app.register(async (api) => {
        if (child.plugin !== undefined) await api.register(versioning, defined(child.plugin))
        await declare(api, child.children)
      }, defined(child.register))
    }
  }
}

function defined (value: object): object {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, isRecord(field) ? defined(field) : field]))
}

/** fast-check also makes objects without a prototype. */
function isRecord (value: unknown): value is object {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}
