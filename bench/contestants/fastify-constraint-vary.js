import Fastify from 'fastify'

/** Fastify's documentation says to send Vary with the constraint, so that a cache does not mix versions up. */
function vary (_request, reply, _payload, done) {
  const present = reply.getHeader('vary')
  if (present === undefined) reply.header('vary', 'Accept-Version')
  else if (!String(present).includes('Accept-Version')) reply.header('vary', `${present}, Accept-Version`)
  done()
}

export default async function listen (address) {
  const app = Fastify()
  app.addHook('onSend', vary)
  const [first, second] = ['1.0.0', '2.0.0'].map((version) => ({ constraints: { version } }))
  app.get('/rooms/:id', first, async (request) => ({ id: request.params.id, version: 'v1' }))
  app.get('/rooms/:id', second, async (request) => ({ id: request.params.id, version: 'v2' }))
  await app.listen(address)
  return app.server
}
