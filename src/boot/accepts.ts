import accepts from '@fastify/accepts'

import type { FastifyInstance } from 'fastify'

/**
 * onReady: adds the request decorators of @fastify/accepts, unless the app has registered it by now. A decorator of
 * the app with the same name stays.
 */
export async function addAccepts (this: FastifyInstance): Promise<void> {
  if (this.hasRequestDecorator('accepts')) return
  const decorateRequest = (name: string, value: unknown) => {
    if (!this.hasRequestDecorator(name)) this.decorateRequest(name, value)
  }
  accepts({ decorateRequest } as never, {}, () => {})
}
