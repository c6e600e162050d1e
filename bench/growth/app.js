import Fastify from 'fastify'

import versioning, { AcceptHeaderVersioning, URLPathVersioning } from '../../dist/index.js'

/**
 * An app of named routes, with the plugin or without it.
 *
 * @param count how many routes
 * @returns the app before it is ready, and the request for the route with a number
 */
export async function appOfNames (count, isOurs) {
  const app = Fastify()
  if (isOurs) await app.register(versioning, { scheme: URLPathVersioning })
  for (let i = 0; i < count; i++) app.get(`/:version/things-${i}/:id`, { name: `thing-${i}` }, answer)
  return { app, requestFor: (i) => ({ url: `/v1/things-${i}/7` }) }
}

/**
 * An app of routes that share a URL, chosen by our scheme or by Fastify's own constraint.
 *
 * @param count how many routes in all
 * @param versions how many of them at each URL
 */
export async function appOfVersions (count, versions, isOurs) {
  const app = Fastify()
  const names = Array.from({ length: versions }, (_, i) => isOurs ? `v${i + 1}` : `${i + 1}.0.0`)
  if (isOurs) await app.register(versioning, { scheme: AcceptHeaderVersioning, allowedVersions: names })
  const optionsFor = (version) => isOurs ? { version } : { constraints: { version } }
  for (let i = 0; i < count; i++) {
    app.get(`/things-${Math.floor(i / versions)}/:id`, optionsFor(names[i % versions]), answer)
  }
  const headersFor = (version) => (
    isOurs ? { accept: `application/json;version=${version}` } : { 'accept-version': version }
  )
  return {
    app,
    requestFor: (i) => ({ url: `/things-${Math.floor(i / versions)}/7`, headers: headersFor(names[i % versions]) })
  }
}

async function answer () {
  return 'ok'
}
