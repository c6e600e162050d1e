import { createRequire } from 'node:module'

import { checkExamples } from '../changes/check.ts'
import { idsIn } from '../changes/documents.ts'
import { isZod } from '../changes/zod.ts'
import { changesIn, contextOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'
import { requireChanges } from '../variants/decorators.ts'
import { appOf } from './app.ts'

import type { AjvCompiler } from '@fastify/ajv-compiler'
import type { FastifyInstance } from 'fastify'
import type { Validate } from '../changes/check.ts'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'

type Compile = (schema: unknown) => Validate

interface Failure {
  readonly instancePath?: string
  readonly path?: readonly PropertyKey[]
  readonly message?: string
}

interface Validator {
  (value: unknown): unknown
  readonly errors?: readonly Failure[] | null
}

interface Parser {
  readonly safeParse?: (value: unknown) => { readonly error?: { readonly issues: readonly Failure[] } }
}

/**
 * Checks the changes of a context by examples.
 *
 * @param given the app, or a context of it, once it is ready
 * @param examples by the `$id` of schemas that changes have. Default: the `examples` of the schemas
 * @throws FST_ERR_VERSION_CHANGE_OPTION
 */
export function checkChanges (given: object, examples: ChangeExamples = {}): ChangeProblem[] {
  const app = given as FastifyInstance
  const changes = requireChanges(app)
  if (app.validatorCompiler === undefined && !appOf(app).isReady) {
    throw new VersionChangeOptionError('checkChanges needs an app that is ready.')
  }
  const servers = [app, ...contextOf(app).routes.list.map(({ server }) => server)]
    .filter((server) => changesIn(server) === changes)
  const compileByDefault = defaultCompiler()
  const contextWith = (id: string) => {
    const server = servers.find((one) => idsIn(Object.values(one.getSchemas())).has(id)) ?? servers[0]
    return { schemas: server.getSchemas(), compile: compilerOf(server, compileByDefault) }
  }
  return checkExamples({ changes, contextWith }, examples)
}

/**
 * Fastify gives a context a compiler once a route validates requests. It may refuse a schema that only responses have,
 * or one that is not of its language.
 */
function compilerOf ({ validatorCompiler }: FastifyInstance, compileByDefault: Compile): Compile {
  return function compile (schema) {
    const { safeParse } = schema as Parser
    if (isZod(schema) && safeParse !== undefined) return (value) => textOf(safeParse(value).error?.issues)
    const byDefault = once(() => compileByDefault(schema))
    if (validatorCompiler === undefined) return (value) => byDefault()(value)
    const definition = { schema: schema as object, method: 'POST', url: '/', httpPart: 'body' }
    const own = once(() => toValidate(validatorCompiler(definition)))
    return (value) => {
      try {
        return own()(value)
      } catch {
        return byDefault()(value)
      }
    }
  }
}

/** Fastify's own compiler, which lets keywords pass that only serializers and documents know. */
function defaultCompiler (): Compile {
  const compiler = once(() => {
    const toCompiler = createRequire(import.meta.url)('@fastify/ajv-compiler') as typeof AjvCompiler
    return toCompiler()({}, { customOptions: { strict: false, logger: false } })
  })
  return (schema) => toValidate(compiler()({ schema } as never))
}

function once<Value> (make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

/** @param validate what a compiler has made */
function toValidate (validate: unknown): Validate {
  return (value) => {
    const result = (validate as Validator)(value)
    if (result === false) return textOf((validate as Validator).errors ?? [])
    const { error } = { ...result as { readonly error?: Error } }
    return error === undefined ? null : error.message
  }
}

/** @returns null for no failures */
function textOf (failures: readonly Failure[] | undefined): string | null {
  return failures?.map(({ path = [], instancePath = path.map((key) => `/${String(key)}`).join(''), message = '' }) => (
    `${instancePath} ${message}`.trim()
  )).join(', ') ?? null
}
