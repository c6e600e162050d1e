#!/usr/bin/env bash
# @nestjs/core 12.5.1 with @nestjs/platform-fastify 12.5.0: what an exception filter gets of an error that a Fastify
# hook throws depends on the name of the error. An error of @fastify/error, whose name is FastifyError, comes as an
# HttpException with its status and message, without its `code`; the error is the `cause`. Any other error with a
# `statusCode` comes as it is, and Nest's own filter answers it with 500, where Fastify alone answers with the status.
# Guessed: the filter gets the error that was thrown, and the status counts, for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --save-exact @fastify/error@4.2.1 @nestjs/common@12.5.1 @nestjs/core@12.5.1 \
  @nestjs/platform-fastify@12.5.0 reflect-metadata@0.2.2 rxjs@7.8.2
cat > run.js <<'JS'
import 'reflect-metadata'
import assert from 'node:assert/strict'
import createError from '@fastify/error'
import { Catch, Controller, Get, Module } from '@nestjs/common'
import { BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'

const NamedError = createError('QUOTA', 'Too many.', 429)
class PlainError extends Error {
  code = 'QUOTA'
  statusCode = 429
}

class Bookings {
  list () { return [] }
}
Get()(Bookings.prototype, 'list', Object.getOwnPropertyDescriptor(Bookings.prototype, 'list'))
Controller('bookings')(Bookings)

class App {}
Module({ controllers: [Bookings] })(App)

async function answerTo (error) {
  let seen
  class All extends BaseExceptionFilter {
    catch (exception, host) {
      seen = { class: exception.constructor.name, code: exception.code, hasCause: exception.cause === error }
      super.catch(exception, host)
    }
  }
  Catch()(All)
  const adapter = new FastifyAdapter()
  adapter.getInstance().addHook('onRequest', async () => { throw error })
  const app = await NestFactory.create(App, adapter, { logger: false })
  app.useGlobalFilters(new All(app.get(HttpAdapterHost).httpAdapter))
  await app.init()
  const { statusCode } = await adapter.getInstance().inject('/bookings')
  await app.close()
  return { statusCode, ...seen }
}

const named = await answerTo(new NamedError())
const plain = await answerTo(new PlainError('Too many.'))
console.log('@nestjs/platform-fastify 12.5.0', { named, plain })
assert.deepEqual(named, { statusCode: 429, class: 'HttpException', code: undefined, hasCause: true })
assert.deepEqual(plain, { statusCode: 500, class: 'PlainError', code: 'QUOTA', hasCause: false })
JS
node run.js
