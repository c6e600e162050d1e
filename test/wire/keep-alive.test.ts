import t from 'tap'

import { connect, write } from './http1.ts'
import { wireSuite } from './suite.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Answer, Message } from './message.ts'

/** One request after the other, each when the one before has been answered. */
async function carry (t: Test, app: FastifyInstance, messages: readonly Message[]): Promise<Answer[]> {
  const connection = await connect(t, app)
  const answers: Answer[] = []
  for (const message of messages) {
    connection.write(write(message))
    answers.push(await connection.read(message.method))
  }
  return answers
}

wireSuite(t, carry)
