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
export async function changedApp (plugin, routes, count) {
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
