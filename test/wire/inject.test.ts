import t from 'tap'

import { wireSuite } from './suite.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Answer, Message } from './message.ts'

async function carry (_t: Test, app: FastifyInstance, messages: readonly Message[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const { method, path, host, headers, body } of messages) {
    const response = await app.inject({
      method, url: path, headers: { ...headers, host }, ...body !== '' && { payload: body }
    })
    answers.push({ status: response.statusCode, headers: response.headers, body: response.body })
  }
  return answers
}

wireSuite(t, carry)
