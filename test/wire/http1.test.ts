import { EventEmitter, once } from 'node:events'
import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { connect, write } from './http1.ts'
import { wireSuite } from './suite.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import type { Answer, Message } from './message.ts'

/** One request after the other, each when the one before has been answered. */
async function keptAlive (t: Test, app: FastifyInstance, messages: readonly Message[]): Promise<Answer[]> {
  const connection = await connect(t, app)
  const answers: Answer[] = []
  for (const message of messages) {
    connection.write(write(message))
    answers.push(await connection.read(message.method))
  }
  return answers
}

/** All requests in one write, whose answers come in the same order. */
async function pipelined (t: Test, app: FastifyInstance, messages: readonly Message[]): Promise<Answer[]> {
  const connection = await connect(t, app)
  connection.write(messages.map(write).join(''))
  const answers: Answer[] = []
  for (const { method } of messages) answers.push(await connection.read(method))
  return answers
}

wireSuite(t, keptAlive)
wireSuite(t, pipelined)

t.test('pipelined requests keep their versions when they are determined in another order', async (t) => {
  const answered = new EventEmitter()
  class Slow extends BaseVersioning {
    override async determineVersion (request: FastifyRequest): Promise<string | null> {
      const version = request.url.slice('/bookings/'.length)
      if (version === 'v1') await once(answered, 'v2')
      return version
    }
  }
  const app = await appWith(t, { scheme: Slow })
  app.get('/bookings/:id', async (request) => {
    answered.emit(String(request.version))
    return request.version
  })
  const messages = ['v1', 'v2'].map((version): Message => ({
    method: 'GET', path: `/bookings/${version}`, host: 'example.com', headers: {}, body: ''
  }))
  t.same((await pipelined(t, app, messages)).map(({ body }) => body), ['v1', 'v2'])
})
