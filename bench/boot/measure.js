import swagger from '@fastify/swagger'
import Fastify from 'fastify'

import { pluginOf, sides } from '../settings.js'
import { cpuTimeOf, heapUsed } from '../timing.js'

const VERSIONS = 5
const info = { title: 'Things', version: '1.0.0' }

const makers = { names, versions, changes: (plugin, count) => changedApp(plugin, count, VERSIONS), schemas }

/**
 * What an app costs: `time` in milliseconds of CPU time, `heap` in megabytes or null.
 *
 * @param what `names`, `versions`, `changes`, `schemas`, `documents` or `import`
 * @param count of routes
 */
export async function measure (what, count, side) {
  if (what === 'import') await Fastify().ready()
  if (what === 'import') return { time: await cpuTimeOf(() => pluginOf(side)), heap: null }
  const plugin = await pluginOf(side)
  if (what === 'documents') return { time: await documents(side, plugin, Number(count)), heap: null }
  // The first app of a process pays for what is compiled and loaded once.
  await makers[what](plugin, 2)
  const before = heapUsed()
  let app
  const time = await cpuTimeOf(async () => { app = await makers[what](plugin, Number(count)) })
  const heap = heapUsed() - before
  await app.close()
  return { time, heap }
}

async function names (plugin, count) {
  const app = Fastify()
  if (plugin !== null) await app.register(plugin.default, { scheme: plugin.URLPathVersioning })
  for (let i = 0; i < count; i++) {
    app.get(`/:version/things-${i}/:id`, plugin === null ? {} : { name: `thing-${i}` }, answer)
  }
  return await app.ready()
}

async function versions (plugin, count) {
  const app = Fastify()
  const all = versionsTo(VERSIONS)
  if (plugin !== null) await app.register(plugin.default, { scheme: plugin.HeaderVersioning, allowedVersions: all })
  for (let i = 0; i < count; i++) {
    const number = i % VERSIONS
    const options = plugin === null ? { constraints: { version: `${number + 1}.0.0` } } : { version: all[number] }
    app.get(`/things-${Math.floor(i / VERSIONS)}/:id`, options, answer)
  }
  return await app.ready()
}

/** An app with as many schemas as routes. One change has changed all of them, or else, without a plugin, none. */
async function schemas (plugin, count) {
  const app = Fastify()
  const { default: versioning, HeaderVersioning } = plugin ?? await pluginOf(sides.ours)
  const ids = Array.from({ length: count }, (_, i) => `Thing${i}`)
  const { older, upgrade, downgrade } = changesTo(2)[0].schemas.Thing
  const changes = [{
    version: 'v2',
    description: 'All things have other titles.',
    schemas: Object.fromEntries(ids.map((id) => [id, { older, upgrade, downgrade }]))
  }]
  const version = versionsTo(2)
  const options = { scheme: HeaderVersioning, allowedVersions: version, ...plugin !== null && { changes } }
  await app.register(versioning, options)
  for (const [i, id] of ids.entries()) {
    app.addSchema({ $id: id, ...thingOf(2) })
    const thing = { $ref: `${id}#` }
    const schema = { body: thing, response: { 200: thing } }
    app.post(`/things-${i}`, { version, schema }, async ({ body }) => body)
  }
  return await app.ready()
}

/** All documents of an app; without us as many of all its routes. */
async function documents (side, plugin, count) {
  const app = Fastify()
  const all = versionsTo(VERSIONS)
  if (plugin === null) await app.register(swagger, { openapi: { info } })
  else {
    const { default: openapi } = await pluginOf(side, 'openapi')
    await app.register(plugin.default, { scheme: plugin.HeaderVersioning, allowedVersions: all })
    await app.register(openapi, { openapi: { info }, ui: false })
  }
  for (let i = 0; i < count; i++) app.get(`/things-${i}/:id`, { schema: schemaOf(i) }, answer)
  await app.ready()
  // @fastify/swagger keeps its document, so that only the first one would cost anything.
  return plugin === null
    ? await cpuTimeOf(() => app.swagger()) * VERSIONS
    : await cpuTimeOf(() => { for (const version of all) app.openapi(version) })
}

function schemaOf (i) {
  const text = { type: 'string' }
  return {
    querystring: { type: 'object', properties: { page: { type: 'integer' }, size: { type: 'integer' } } },
    response: { 200: { type: 'object', properties: { [`id${i}`]: text, guest: text, nights: { type: 'integer' } } } }
  }
}

async function answer () {
  return 'ok'
}

/** The versions `v1` to the one with this number. */
function versionsTo (count) {
  return Array.from({ length: count }, (_, i) => `v${i + 1}`)
}

/** What a thing is in a version with this number: its title has the number, too. */
function thingOf (number) {
  return {
    type: 'object',
    required: [`title${number}`],
    properties: { id: { type: 'integer' }, [`title${number}`]: { type: 'string' }, note: { type: 'string' } },
    additionalProperties: false
  }
}

function renamed (from, to) {
  return ({ [`title${from}`]: title, ...rest }) => ({ ...rest, [`title${to}`]: title })
}

/** The changes of versions up to this number, newest first. */
function changesTo (count) {
  return versionsTo(count).slice(1).map((version, i) => ({
    version,
    description: `Things have other titles in ${version}.`,
    schemas: {
      Thing: { older: thingOf(i + 1), upgrade: renamed(i + 1, i + 2), downgrade: renamed(i + 2, i + 1) }
    }
  })).reverse()
}

/**
 * An app with routes that take and send a thing.
 *
 * @param plugin of a side; null for an app of one version
 * @param routes how many
 * @param count how many versions
 */
async function changedApp (plugin, routes, count) {
  const app = Fastify()
  const allowedVersions = versionsTo(count)
  if (plugin !== null) {
    const scheme = plugin.HeaderVersioning
    await app.register(plugin.default, { scheme, allowedVersions, changes: changesTo(count) })
  }
  app.addSchema({ $id: 'Thing', ...thingOf(count) })
  const thing = { $ref: 'Thing#' }
  for (let i = 0; i < routes; i++) {
    app.post(`/things-${i}`, { schema: { body: thing, response: { 200: thing } } }, async ({ body }) => body)
  }
  return await app.ready()
}
