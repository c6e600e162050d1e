import Fastify from 'fastify'

import versioning, { HeaderVersioning } from '../../dist/index.js'

const text = { type: 'string' }
const params = { type: 'object', properties: { id: { type: 'string' } } }
const paramsBefore = { type: 'object', properties: { id: { type: 'string', minLength: 1 } } }
const room = { type: 'object', properties: { id: text, version: text } }
const roomBefore = { ...room, required: ['id'] }
// Every contestant gives the same answer.
const upgrade = ({ id }) => ({ id })
const downgrade = ({ version, ...rest }) => ({ ...rest, version })

/**
 * @param mode `older` and `newest`: a room that has changed, where v1 is the older or the newest version. `by-hand`:
 *   the older version by hand, with the same functions and a second validation. `plain`: without changes
 */
export default async function listen (address, mode) {
  const app = Fastify()
  const allowedVersions = mode === 'newest' ? ['v0', 'v1'] : ['v1', 'v2']
  const change = {
    version: allowedVersions[1],
    description: 'A room need not have an id.',
    routes: {
      room: {
        older: { params: paramsBefore },
        params: { upgrade },
        response: { 200: { older: roomBefore, downgrade } }
      }
    }
  }
  const changes = mode === 'older' || mode === 'newest' ? [change] : null
  await app.register(versioning, { scheme: HeaderVersioning, versionHeader: 'X-API-Version', allowedVersions, changes })
  const schema = { params, response: { 200: room } }
  app.get('/rooms/:id', { name: 'room', schema }, answer)
  if (mode === 'by-hand') app.get('/rooms/:id', byHand(app), answer)
  await app.listen(address)
  return app.server
}

async function answer ({ params: { id } }) {
  return { id, version: 'v1' }
}

function byHand (app) {
  let validate
  app.addHook('onReady', async () => {
    validate = app.validatorCompiler({ schema: params, method: 'GET', url: '/rooms/:id', httpPart: 'params' })
  })
  return {
    version: 'v1',
    schema: { params: paramsBefore, response: { 200: roomBefore } },
    preHandler (request, _reply, done) {
      request.params = upgrade(request.params)
      done(validate(request.params) ? undefined : new Error('What the upgrade has made is not valid.'))
    },
    preSerialization (_request, _reply, payload, done) {
      done(null, downgrade(payload))
    }
  }
}
