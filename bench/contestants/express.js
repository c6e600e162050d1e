import express from 'express'
import versionRoute from 'express-version-route'
import { once } from 'node:events'

export default async function listen ({ host, port }) {
  const app = express()
  app.use(function readVersion (request, _response, next) {
    request.version = request.headers['accept-version']
    next()
  })
  app.get('/rooms/:id', versionRoute.route(new Map([
    ['1.0.0', (request, response) => response.json({ id: request.params.id, version: 'v1' })],
    ['2.0.0', (request, response) => response.json({ id: request.params.id, version: 'v2' })]
  ])))
  const server = app.listen(port, host)
  await once(server, 'listening')
  return server
}
