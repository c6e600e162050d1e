import Fastify from 'fastify'

const app = Fastify()
app.decorate('versions', { getter: () => [{ version: 'v1' }] } as never)
app.decorate('openapi', (() => { throw new Error('This document cannot be made') }) as never)

export default app
