import 'reflect-metadata'

import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'

/** Serves the room under one versioning type of NestJS. In JavaScript, decorators are called as functions. */
export async function listenWith (versioning, { host, port }) {
  class Rooms {}
  Module({ controllers: [controllerFor('v1'), controllerFor('v2')] })(Rooms)
  const app = await NestFactory.create(Rooms, new FastifyAdapter(), { logger: false, abortOnError: false })
  app.enableVersioning(versioning)
  await app.listen(port, host)
  return app.getHttpServer()
}

function controllerFor (version) {
  class RoomController {
    async find (id) {
      return { id, version }
    }
  }
  const { prototype } = RoomController
  Controller({ path: 'rooms', version })(RoomController)
  Get(':id')(prototype, 'find', Object.getOwnPropertyDescriptor(prototype, 'find'))
  Param('id')(prototype, 'find', 0)
  return RoomController
}
