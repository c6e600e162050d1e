import { checkExamples } from '../changes/check.ts'
import { contextOf } from '../context.ts'
import { VersionChangeOptionError } from '../errors.ts'

import type { FastifyInstance } from 'fastify'
import type { Validate } from '../changes/check.ts'
import type { ChangeExamples, ChangeProblem } from '../../types/index.d.ts'

interface Validator {
  (value: unknown): unknown
  readonly errors?: readonly { readonly instancePath?: string, readonly message?: string }[] | null
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
  const context = contextOf(app)
  const changes = context?.changes ?? null
  if (context === undefined || changes === null) {
    throw new VersionChangeOptionError('There are no changes in this context: give the plugin the option "changes".')
  }
  // A context validates once it has a route with a schema.
  const servers = [app, ...context.routes.list.map(({ server }) => server)]
    .filter((server) => server.validatorCompiler !== undefined && contextOf(server)?.changes === changes)
  if (servers.length === 0) {
    throw new VersionChangeOptionError('checkChanges needs an app that is ready, with a route that validates.')
  }
  const contextWith = (id: string) => {
    const server = servers.find((one) => changes.isShared(id, one.getSchemas())) ?? servers[0]
    return { schemas: server.getSchemas(), compile: (schema: unknown) => validatorOf(schema, server) }
  }
  return checkExamples({ changes, contextWith }, examples)
}

/** A function that validates as bodies are validated in a context. */
function validatorOf (schema: unknown, { validatorCompiler }: FastifyInstance): Validate {
  const compile = validatorCompiler as NonNullable<FastifyInstance['validatorCompiler']>
  const validate = compile({ schema: schema as object, method: 'POST', url: '/', httpPart: 'body' }) as Validator
  return (value) => {
    const result = validate(value)
    if (result === false) return textOf(validate.errors ?? [])
    const { error } = { ...result as { readonly error?: Error } }
    return error === undefined ? null : error.message
  }
}

function textOf (errors: NonNullable<Validator['errors']>): string {
  return errors.map(({ instancePath = '', message = '' }) => `${instancePath} ${message}`.trim()).join(', ')
}
