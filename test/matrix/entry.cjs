const Fastify = require('fastify')
const plugin = require('fastify-versioning')

const { smoke } = require('./smoke.mjs')

smoke(Fastify, plugin).then((count) => console.log(`${count} cases`))
