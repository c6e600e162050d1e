import { EventEmitter, once } from 'node:events'
import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'
import { connect, write } from './http1.ts'
import { wireSuite } from './suite.ts'

import type { FastifyRequest } from 'fastify'
import type { Answer, Message } from './message.ts'
import type { Carry } from './suite.ts'

/** One request after the other, each when the one before has been answered; or all in one write. */
const carry = (isPipelined: boolean): Carry => async (t, app, messages) => {
  const connection = await connect(t, app)
  if (isPipelined) connection.write(messages.map(write).join(''))
  const answers: Answer[] = []
  for (const message of messages) {
    if (!isPipelined) connection.write(write(message))
    answers.push(await connection.read(message.method))
  }
  return answers
}

for (const isPipelined of [false, true]) wireSuite(t, carry(isPipelined))

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
  t.same((await carry(true)(t, app, messages)).map(({ body }) => body), ['v1', 'v2'])
})
