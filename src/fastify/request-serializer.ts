import type { FastifyInstance, FastifyRequest } from 'fastify'

type Serialize = (request: FastifyRequest) => unknown

/**
 * Wraps what makes a request part of a log line, if the logger has it.
 *
 * The bet (pino 9 and 10): a logger and those that it makes for requests have one object of serializers, under this
 * symbol.
 */
export function wrapRequestSerializer ({ log }: FastifyInstance, wrap: (serialize: Serialize) => Serialize): void {
  const serializers = Object(log)[Symbol.for('pino.serializers')] as { req?: Serialize } | undefined
  if (serializers?.req !== undefined) serializers.req = wrap(serializers.req)
}
