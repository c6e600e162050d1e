import { wireApp } from './app.ts'
import { schemeNames } from '../fixtures/schemes.ts'
import { exchangesOf } from './exchanges.ts'

import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { AppOptions } from './app.ts'
import type { Answer, Message } from './message.ts'

/** Carries messages to an app over one connection, and brings the answers back in the order of the messages. */
export type Carry = (t: Test, app: FastifyInstance, messages: readonly Message[]) => Promise<Answer[]>

/** The exchanges that are the same on every wire. */
export function wireSuite (t: Test, carry: Carry, options: Omit<AppOptions, 'scheme'> = {}): void {
  for (const scheme of schemeNames) {
    t.test(`the ${scheme} scheme answers each exchange`, async (t) => {
      const exchanges = exchangesOf(scheme)
      const answers = await carry(t, await wireApp(t, { scheme, ...options }), exchanges.map(({ message }) => message))
      t.equal(answers.length, exchanges.length)
      for (const [i, { says, expected }] of exchanges.entries()) {
        t.test(`an exchange with ${says} is answered`, async (t) => {
          const { status, headers, body } = answers[i]
          t.strictSame({
            status,
            version: headers['x-version'],
            headers: Object.fromEntries(Object.keys(expected.headers).map((name) => [name, headers[name]])),
            body: typeof expected.body === 'string' ? body : JSON.parse(body)
          }, expected)
        })
      }
    })
  }
}
