import Fastify from 'fastify'

const app = Fastify()
app.decorate('versions', { getter: () => [{ version: 'v1' }] } as never)
const openapi = () => { throw new Error('This document cannot be made') }
app.decorate('openapi', Object.assign(openapi, { names: ['v1'] }) as never)

export default app
