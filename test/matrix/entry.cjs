const Fastify = require('fastify')
const plugin = require('fastify-versioning')
const client = require('fastify-versioning/client')
const documents = require('fastify-versioning/openapi')

const { smoke } = require('./smoke.mjs')

smoke(Fastify, plugin, documents, client).then((count) => console.log(`${count} cases`))
