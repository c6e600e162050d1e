import express from '@fastify/express'
import t from 'tap'

import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { appInOrder, orders } from './orders.ts'
import { varyOf } from './vary.ts'

import type { FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'
import type { Order } from './orders.ts'

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

interface Answer { statusCode: number, headers: Record<string, string>, body: string }

const origin = 'https://client.example'
const versions = { allowedVersions: ['v1', 'v2'] }
const byQuery = { scheme: QueryParameterVersioning, ...versions }
const byAccept = { scheme: AcceptHeaderVersioning, ...versions }

/** What CORS and helmet do as middleware: headers, and an answer to preflights. */
const allowOrigin: Middleware = (request, response, next) => {
  const vary = response.getHeader('vary')
  response.setHeader('vary', vary === undefined ? 'Origin' : `${vary}, Origin`)
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
  if (request.method !== 'OPTIONS') return next()
  response.statusCode = 204
  response.end()
}

/** Asks an app that listens: under `inject` a response that has come through Express has no body. */
async function listeningWith (
  t: Test, order: Order, options: VersioningOptions
): Promise<(url: string, init?: RequestInit) => Promise<Answer>> {
  const app = await appInOrder(t, order, options, (app) => app.register(express))
  app.use(allowOrigin)
  t.teardown(() => app.close())
  app.get('/bookings', version)
  app.options('/bookings', version)
  app.get('/bookings/:id', async (_request, reply) => reply.reverse())
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return async function ask (url, init = {}) {
    const response = await fetch(address + url, init)
    const { status: statusCode, headers } = response
    return { statusCode, headers: Object.fromEntries(headers), body: await response.text() }
  }
}

async function version (request: FastifyRequest) {
  return { version: request.version }
}

for (const order of orders) {
  t.test(`a response has its version and the header of a middleware, with express ${order}`, async (t) => {
    const ask = await listeningWith(t, order, byQuery)
    const { headers, body } = await ask('/bookings?version=v2', { headers: { origin } })
    t.same(JSON.parse(body), { version: 'v2' })
    t.equal(headers['access-control-allow-origin'], origin)
  })

  t.test(`a response varies on Accept and on the Vary of a middleware, with express ${order}`, async (t) => {
    const ask = await listeningWith(t, order, byAccept)
    t.same(varyOf(await ask('/bookings', { headers: { accept: 'a/b; version=v2' } })), ['accept', 'origin'])
  })

  t.test(`a middleware answers a preflight, with express ${order}`, async (t) => {
    const ask = await listeningWith(t, order, byQuery)
    const headers = { origin, 'access-control-request-method': 'GET' }
    const response = await ask('/bookings?version=v9', { method: 'OPTIONS', headers })
    t.equal(response.statusCode, 204)
    t.equal(response.headers['access-control-allow-origin'], origin)
  })

  // @fastify/express replaces the URL of Node's request by its decoded form.
  t.test(`a version that is escaped twice is refused, with express ${order}`, async (t) => {
    const ask = await listeningWith(t, order, byQuery)
    t.equal((await ask('/bookings?version=%2576%2532')).statusCode, 404)
  })

  t.test(`a link to the current route keeps the escapes of the path, with express ${order}`, async (t) => {
    const ask = await listeningWith(t, order, byAccept)
    const { body } = await ask('/bookings/a%2520%2Fb', { headers: { accept: 'a/b; version=v2' } })
    t.equal(body, '/bookings/a%2520%2Fb')
  })
}

t.test('a refusal has the header of a middleware where express is registered before the plugin', async (t) => {
  const ask = await listeningWith(t, 'registered before the plugin', byAccept)
  const response = await ask('/bookings', { headers: { origin, accept: 'a/b; version=v9' } })
  t.equal(response.statusCode, 406)
  t.equal(response.headers['access-control-allow-origin'], origin)
  t.same(varyOf(response), ['accept', 'origin'])
})

t.test('a refusal skips the middleware where express is registered after the plugin', async (t) => {
  const ask = await listeningWith(t, 'registered after the plugin', byQuery)
  const response = await ask('/bookings?version=v9', { headers: { origin } })
  t.equal(response.statusCode, 404)
  t.equal(response.headers['access-control-allow-origin'], undefined)
})
