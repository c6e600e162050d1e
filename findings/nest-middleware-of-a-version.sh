#!/usr/bin/env bash
# @nestjs/core 12.5.1 with @nestjs/platform-express 12.5.1 and @nestjs/platform-fastify 12.5.0: `version: '2'` in
# `forRoutes` counts under URI versioning alone. With the version in a header or in Accept, the middleware runs for
# version 1, too, and so does one that is applied to the controller of version 2 alone. `exclude` reads the same
# `version: '2'` under all of them: what it excludes is v2, and not v1. There is no warning.
# Guessed: a version in a route means the same for both methods of the consumer, under each type of versioning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @nestjs/common@12.5.1 @nestjs/core@12.5.1 \
  @nestjs/platform-express@12.5.1 @nestjs/platform-fastify@12.5.0 reflect-metadata@0.2.2 rxjs@7.8.2
cat > run.js <<'JS'
import 'reflect-metadata'
import assert from 'node:assert/strict'
import { Controller, Get, Module, RequestMethod, VersioningType } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'

function controllerOf (version) {
  class Bookings {
    list () { return `v${version}` }
  }
  Get()(Bookings.prototype, 'list', Object.getOwnPropertyDescriptor(Bookings.prototype, 'list'))
  Controller({ path: 'bookings', version })(Bookings)
  return Bookings
}

/** Which middleware runs for a request to each of the two versions. */
async function middlewareOf (adapter, versioning, requestOf) {
  const [first, second] = [controllerOf('1'), controllerOf('2')]
  const route = { path: 'bookings', method: RequestMethod.GET, version: '2' }
  let ran = []
  const noting = (name) => (request, response, next) => {
    ran.push(name)
    next()
  }
  class App {
    configure (consumer) {
      consumer.apply(noting('route')).forRoutes(route)
      consumer.apply(noting('controller')).forRoutes(second)
      consumer.apply(noting('not excluded')).exclude(route).forRoutes(first, second)
    }
  }
  Module({ controllers: [first, second] })(App)
  const app = await NestFactory.create(App, adapter, { logger: false })
  app.enableVersioning(versioning)
  await app.listen(0, '127.0.0.1')
  const origin = await app.getUrl()
  const seen = {}
  for (const version of ['1', '2']) {
    ran = []
    const [path, headers] = requestOf(version)
    const response = await fetch(origin + path, { headers })
    assert.equal(await response.text(), `v${version}`)
    seen[`v${version}`] = ran.join(', ')
  }
  await app.close()
  return seen
}

const types = {
  uri: [{ type: VersioningType.URI }, (version) => [`/v${version}/bookings`, {}]],
  header: [{ type: VersioningType.HEADER, header: 'X-Version' }, (version) => ['/bookings', { 'x-version': version }]],
  accept: [{ type: VersioningType.MEDIA_TYPE, key: 'v=' }, (version) => [
    '/bookings', { accept: `application/json;v=${version}` }
  ]]
}
const seen = {}
for (const [name, [versioning, requestOf]] of Object.entries(types)) {
  seen[name] = await middlewareOf(new ExpressAdapter(), versioning, requestOf)
  assert.deepEqual(await middlewareOf(new FastifyAdapter(), versioning, requestOf), seen[name])
}
console.log('@nestjs/core 12.5.1, the middleware that runs, with both adapters:', seen)
const everywhere = { v1: 'route, controller, not excluded', v2: 'route, controller' }
assert.deepEqual(seen, {
  uri: { v1: 'not excluded', v2: 'route, controller' },
  header: everywhere,
  accept: everywhere
})
JS
node run.js
