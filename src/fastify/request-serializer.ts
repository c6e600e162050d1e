import type { FastifyInstance, FastifyRequest } from 'fastify'

type Serialize = (request: FastifyRequest) => unknown

/**
 * Wraps the serializer that makes a request part of a log line, if the logger has one.
 *
 * The bet (pino 9 and 10): a logger and the loggers that it makes for requests share one object of serializers, under
 * this symbol.
 */
export function wrapRequestSerializer ({ log }: FastifyInstance, wrap: (serialize: Serialize) => Serialize): void {
  const serializers = Object(log)[Symbol.for('pino.serializers')] as { req?: Serialize } | undefined
  if (serializers?.req !== undefined) serializers.req = wrap(serializers.req)
}
