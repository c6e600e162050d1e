import { AcceptHeaderVersioning, QueryParameterVersioning } from '../../src/index.ts'

import type { FastifyReply, FastifyRequest, InjectOptions } from 'fastify'

export const allowedVersions = ['v1', 'v2', 'v3', 'v4']
export const settings = { allowedVersions, defaultVersion: 'v2' }
export const byAccept = { scheme: AcceptHeaderVersioning, ...settings }
export const byQuery = { scheme: QueryParameterVersioning, ...settings }

/** Answers with its own mark, the version of the request, and what the route declares. */
export function tell (mark: string) {
  return async ({ version, routeOptions: { config } }: FastifyRequest) => ({ mark, version, versions: config.versions })
}

/** Answers with its own mark in a header, so that HEAD has it, too. */
export function mark (name: string) {
  return async ({ version }: FastifyRequest, reply: FastifyReply) => (
    reply.headers({ 'x-mark': name, 'x-version': version ?? 'none' }).send('')
  )
}

export const accept = (version: string): InjectOptions => ({ headers: { accept: `a/b;version=${version}` } })
