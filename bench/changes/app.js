import Fastify from 'fastify'

const text = { type: 'string' }

/** The versions `v1` to the one with this number. */
export function versionsTo (count) {
  return Array.from({ length: count }, (_, i) => `v${i + 1}`)
}

/** What a thing is in a version with this number: its title has the number, too. */
function thingOf (number) {
  return {
    type: 'object',
    required: [`title${number}`],
    properties: { id: { type: 'integer' }, [`title${number}`]: text, note: text },
    additionalProperties: false
  }
}

/** A thing in a version, as clients have it. */
export function exampleIn (number) {
  return { id: 7, [`title${number}`]: 'a title', note: 'a note' }
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
 * An app with a route to get things, and others to post them.
 *
 * @param plugin of a side; null for an app of one version, written by hand: what it gets is upgraded in a hook, what it
 *   sends is downgraded in another one
 * @param routes how many
 * @param count how many versions
 * @param version the version of the app that is written by hand
 */
export async function changedApp (plugin, routes, count, version = count) {
  const app = Fastify()
  const allowedVersions = versionsTo(count)
  if (plugin !== null) {
    const scheme = plugin.HeaderVersioning
    const defaultVersion = allowedVersions.at(-1)
    await app.register(plugin.default, { scheme, defaultVersion, allowedVersions, changes: changesTo(count) })
  }
  const own = plugin === null ? version : count
  app.addSchema({ $id: 'Thing', ...thingOf(own) })
  const hooks = own === count ? {} : byHand(own, count)
  const thing = { $ref: 'Thing#' }
  const example = exampleIn(count)
  app.get('/things', { ...hooks, schema: { response: { 200: thing } } }, (_request, reply) => { reply.send(example) })
  for (let i = 1; i < routes; i++) {
    app.post(`/things-${i}`, { ...hooks, schema: { body: thing, response: { 200: thing } } }, async ({ body }) => body)
  }
  await app.ready()
  return app
}

function byHand (version, count) {
  const steps = Array.from({ length: count - version }, (_, i) => version + i)
  const upgrade = (thing) => steps.reduce((value, i) => renamed(i, i + 1)(value), thing)
  const downgrade = (thing) => steps.reduceRight((value, i) => renamed(i + 1, i)(value), thing)
  return {
    preHandler (request, _reply, done) {
      if (request.body) request.body = upgrade(request.body)
      done()
    },
    preSerialization (_request, _reply, payload, done) { done(null, downgrade(payload)) }
  }
}
