import { symbolIn, valueOf } from './symbols.ts'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Where a context keeps its copy without what can be skipped. */
const kBrief: unique symbol = Symbol('fastify-versioning.brief')

/** What Fastify keeps of a route: its hooks, by name, among much else. */
interface RequestContext {
  readonly [hook: string]: unknown
  [kBrief]?: RequestContext
}

type Hook = (...args: never[]) => unknown

/** The hooks in which a context and its copy may differ. */
const NAMES = ['preValidation', 'preHandler', 'preSerialization', 'onSend', 'onError'] as const

const skippable = new WeakSet<object>()
/** Contexts by their copies. */
const wholes = new WeakMap<RequestContext, RequestContext>()

/** Lets requests skip hooks. */
export interface HookSkipper {
  skip (request: FastifyRequest): void
  /** The hooks that have not had their turn yet run again. */
  restore (request: FastifyRequest): void
}

/**
 * Notes that requests may skip a hook. To run a hook that does nothing costs a request 0.1 µs.
 *
 * @returns the hook, which must not need `this`: Fastify binds each, so that it would not be known any more
 */
export function skippableHook<Of extends Hook> (hook: Of): Of {
  skippable.add(hook)
  return Object.assign(hook, { bind: () => hook })
}

/**
 * Returns what lets a request skip them, from its onRequest hooks on. What another plugin has wrapped still runs.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/route.js and lib/reply.js): a request has the context of its route under
 * one symbol, where everything that follows finds hooks, and where `reply.callNotFound()` puts another one. A context
 * is complete when the app is ready.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have the symbol
 */
export function hookSkipper (server: FastifyInstance): HookSkipper {
  const Reply = valueOf(server, symbolIn(server, server, 'fastify.Reply')) as { readonly prototype: FastifyReply }
  const key = symbolIn(server, Reply.prototype, 'fastify.context')
  return {
    skip (request) {
      const holder = request as unknown as Record<symbol, RequestContext>
      const context = holder[key]
      holder[key] = context[kBrief] ??= briefOf(context)
    },
    restore (request) {
      const holder = request as unknown as Record<symbol, RequestContext>
      holder[key] = wholes.get(holder[key]) ?? holder[key]
    }
  }
}

function briefOf (context: RequestContext): RequestContext {
  const Class = context.constructor as new (options: object) => RequestContext
  // The same properties in the same order, which V8 knows already.
  const brief = Object.assign(new Class(context), context) as Record<string, unknown>
  for (const name of NAMES) {
    const left = [context[name] ?? []].flat().filter((hook) => !skippable.has(hook as object))
    brief[name] = left.length === 0 ? null : left
  }
  wholes.set(brief as RequestContext, context)
  return brief as RequestContext
}
