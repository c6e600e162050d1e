import assert from 'node:assert/strict'

import { pluginOf } from '../settings.js'
import { timeInTurns } from '../timing.js'
import { changedApp, exampleIn } from './app.js'

const COUNT = 3

/** Keeps what is sent, so that a request costs nothing but what Fastify and the plugin do. */
class Response {
  statusCode = 200
  headersSent = false

  writeHead (_status, headers) {
    this.headers = headers
  }

  end (body) {
    this.body = body
  }

  getHeader () {}
  setHeader () {}
}

/** Nanoseconds of a request in a version, a list for each of the sides. */
export async function measure (version, ...sides) {
  const number = Number(version.slice(1))
  const calls = []
  for (const side of sides) {
    const app = await changedApp(await pluginOf(side), 1, COUNT, number)
    const headers = { host: 'example.com', 'api-version': version }
    const call = () => {
      const response = new Response()
      app.routing({ method: 'GET', url: '/things', headers, socket: {} }, response)
      return response.body
    }
    assert.deepEqual(JSON.parse(call()), exampleIn(number))
    calls.push(call)
  }
  return timeInTurns(calls)
}
