import Fastify from 'fastify'

export default Fastify()
