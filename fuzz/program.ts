import Fastify from 'fastify'
import * as package_ from 'fastify-versioning'
import { compileFunction } from 'node:vm'

import type { Code } from './source.ts'
import { print } from './source.ts'

import type { FastifyInstance, InjectOptions } from 'fastify'

/** An app as data: what `sourceOf` prints, and `start` runs. */
export interface App {
  /** Options of Fastify. */
  readonly server?: object | undefined
  /** Options of the plugin at the root. */
  readonly plugin: object
  readonly errorHandler?: Code | undefined
  /** Routes and contexts in the order of their declaration. */
  readonly children: readonly Child[]
}

export type Child = Route | Context

export interface Route {
  readonly method: string
  readonly url: string
  readonly options: object
  readonly handler: Code
}

interface Context {
  /** Options of `register`. */
  readonly register: object
  /** Options of the plugin in this context, or undefined if it is not registered there. */
  readonly plugin?: object | undefined
  readonly children: readonly Child[]
}

const { default: versioning, ...classes } = package_

/**
 * The app as statements of a module, which need `Fastify`, `versioning` and the schemes.
 *
 * @param helpers declarations by the names under which the app uses them, such as its own scheme
 */
export function sourceOf (app: App, helpers: Readonly<Record<string, string>> = {}): string {
  const source = sourceWithout(app)
  const used = Object.entries(helpers).filter(([name]) => hasWord(source, name))
  return [...used.map(([, helper]) => `${helper.trim()}\n`), source].join('\n')
}

function sourceWithout (app: App): string {
  const lines = [
    `const app = Fastify(${app.server === undefined ? '' : print(app.server)})`,
    `await app.register(versioning, ${print(app.plugin)})`,
    ...app.errorHandler === undefined ? [] : [`app.setErrorHandler(${app.errorHandler.text})`],
    ...linesOf(app.children, 'app', ''),
    'await app.ready()'
  ]
  return lines.join('\n')
}

function linesOf (children: readonly Child[], name: string, indent: string): string[] {
  return children.flatMap((child) => {
    if ('url' in child) {
      const { url, options, handler } = child
      return [`${indent}${name}.route(${print({ method: methodOf(child), url, ...options, handler }, indent)})`]
    }
    const inner = `${indent}  `
    const plugin = child.plugin && `${inner}await api.register(versioning, ${print(child.plugin, inner)})`
    return [
      `${indent}await ${name}.register(async (api) => {`,
      ...plugin === undefined ? [] : [plugin],
      ...linesOf(child.children, 'api', inner),
      `${indent}}, ${print(child.register, indent)})`
    ]
  })
}

function methodOf ({ method }: Route): string | string[] {
  return method.includes(',') ? method.split(',') : method
}

/** A whole program: the app, and requests to it. */
export function programOf (source: string, ...requests: readonly InjectOptions[]): string {
  const used = Object.keys(classes).filter((name) => hasWord(source, name))
  return [
    "import Fastify from 'fastify'",
    `import versioning${used.length === 0 ? '' : `, { ${used.join(', ')} }`} from 'fastify-versioning'`,
    '',
    source,
    '',
    `for (const request of [${requests.map((request) => print(request)).join(', ')}]) {`,
    '  const { statusCode, headers, body } = await app.inject(request)',
    '  console.log(statusCode, headers, body)',
    '}',
    'await app.close()'
  ].join('\n')
}

function hasWord (text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text)
}

/** Runs what `sourceOf` has printed, so that what a failure prints is what has failed. */
export async function start (source: string): Promise<FastifyInstance> {
  const body = `return (async () => {\n${source}\nreturn app\n})()`
  return await compileFunction(body, ['Fastify', 'versioning', ...Object.keys(classes)])(
    Fastify, versioning, ...Object.values(classes)
  )
}
