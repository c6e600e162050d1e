#!/usr/bin/env bash
# @nestjs/core 12.5.1: the same controllers serve another version with another adapter. With a VERSION_NEUTRAL
# controller before that of version 2, `X-Version: 2` gets the neutral one from @nestjs/platform-express 12.5.1, and
# version 2 from @nestjs/platform-fastify 12.5.0. If two controllers list version 2, Express takes the first one, and
# Fastify the last one. There is no warning.
# Guessed: the adapter does not matter for a single version; the documentation names only arrays of an extractor.
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
import { Controller, Get, Module, VERSION_NEUTRAL, VersioningType } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'

function controllerOf (name, version) {
  class Bookings {
    list () { return name }
  }
  Get()(Bookings.prototype, 'list', Object.getOwnPropertyDescriptor(Bookings.prototype, 'list'))
  Controller({ path: 'bookings', version })(Bookings)
  return Bookings
}

/** Which controller answers a request for version 2. */
async function answers (adapter, versions) {
  class App {}
  Module({ controllers: Object.entries(versions).map((entry) => controllerOf(...entry)) })(App)
  const app = await NestFactory.create(App, adapter, { logger: false })
  app.enableVersioning({ type: VersioningType.HEADER, header: 'X-Version' })
  await app.listen(0, '127.0.0.1')
  const response = await fetch(`${await app.getUrl()}/bookings`, { headers: { 'x-version': '2' } })
  const text = await response.text()
  await app.close()
  return text
}

const lists = {
  'neutral, 2': { neutral: VERSION_NEUTRAL, two: '2' },
  '2, neutral': { two: '2', neutral: VERSION_NEUTRAL },
  '[1, 2], 2': { both: ['1', '2'], two: '2' }
}
const answered = {}
for (const [name, versions] of Object.entries(lists)) {
  const express = await answers(new ExpressAdapter(), versions)
  answered[name] = { express, fastify: await answers(new FastifyAdapter(), versions) }
}
console.log('@nestjs/core 12.5.1, X-Version: 2', answered)
assert.deepEqual(answered, {
  'neutral, 2': { express: 'neutral', fastify: 'two' },
  '2, neutral': { express: 'two', fastify: 'two' },
  '[1, 2], 2': { express: 'both', fastify: 'two' }
})
JS
node run.js
