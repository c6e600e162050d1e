import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { show } from './json.ts'

/** An app, as far as it is used here. */
interface App {
  ready (): PromiseLike<unknown>
  close (): PromiseLike<unknown>
  register (plugin: Plugin): unknown
  readonly versions?: readonly { readonly version: string | null }[]
  readonly openapi?: ((name: string) => object) & { readonly names?: readonly string[] }
}

type Plugin = (app: App, options: object, done?: (error?: Error) => void) => unknown

/** How long an app may take to close: its documents are there, and what keeps it open is not ours. */
const CLOSING = 5_000

/**
 * The documents of an app by name. Its module exports, by default or as `app` or `build`, a Fastify instance, a
 * function without parameters that returns one, or a plugin as fastify-cli takes it.
 *
 * @param timeout how long it may take until the app is ready, in milliseconds
 * @throws Error that says what is wrong with the module or the app
 */
export async function documentsOf (file: string, timeout: number): Promise<[string, object][]> {
  const late = new Error(`${show(file)} is not ready after ${timeout / 1_000} seconds`)
  return within(timeout, open(file), () => { throw late })
}

async function open (file: string): Promise<[string, object][]> {
  const app = await appOf(file)
  try {
    await app.ready()
    const { versions, openapi } = app
    if (openapi?.names === undefined) {
      throw new Error(`The app of ${show(file)} has no documents: register fastify-versioning/openapi at its root`)
    }
    if (versions?.some(({ version }) => version !== null) !== true) {
      throw new Error(`The app of ${show(file)} has no route with a version`)
    }
    return openapi.names.map((name) => [name, openapi(name)])
  } finally {
    await within(CLOSING, Promise.resolve(app.close()), () => undefined)
  }
}

async function appOf (file: string): Promise<App> {
  const url = pathToFileURL(resolve(file))
  const exported = await load(url)
  const module = (exported.default as { default?: unknown } | undefined)?.default ?? exported.default
  const found = [module, exported.app, exported.build].find((one) => isApp(one) || typeof one === 'function')
  if (isApp(found)) return found
  if (typeof found !== 'function') {
    throw new Error(`Expected ${show(file)} to export an app, or a function that makes one, by default`)
  }
  const app: unknown = found.length === 0 ? await found() : await host(found as Plugin, url)
  if (!isApp(app)) throw new Error(`Expected the function of ${show(file)} to return an app, got ${show(app)}`)
  return app
}

/** An app with a plugin, made with the Fastify that the plugin has. The app has its decorators. */
async function host (plugin: Plugin, url: URL): Promise<App> {
  const { default: fastify } = await load(pathToFileURL(createRequire(url).resolve('fastify')))
  const app = (fastify as () => App)()
  const own: Plugin = plugin.length > 2
    ? function hosted (instance, options, done) { return plugin(instance, options, done) }
    : async function hosted (instance, options) { await plugin(instance, options) }
  app.register(Object.assign(own, { [Symbol.for('skip-override')]: true }))
  return app
}

function load ({ href }: URL): Promise<Record<string, unknown>> {
  return import(href) as Promise<Record<string, unknown>>
}

function isApp (value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'ready' in value && 'close' in value && 'register' in value
}

/** What a promise brings, or after some time something else. */
async function within <Value> (time: number, promise: Promise<Value>, otherwise: () => Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => { timer = setTimeout(resolve, time) }).then(otherwise)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
