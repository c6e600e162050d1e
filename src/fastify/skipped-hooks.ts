import { contextSymbolOf } from './symbols.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The key of the copies of a route's context that lack hooks. */
const kCopies: unique symbol = Symbol('fastify-versioning.copies')

/** The context of a route, in which Fastify has the hooks, by name, among much else. */
interface RequestContext {
  readonly [hook: string]: unknown
  [kCopies]?: Copies
}

/** A context, and its copies, each of which knows the others. */
interface Copies {
  readonly whole: RequestContext
  /** The copy without any hook that can be skipped. */
  brief: RequestContext | null
  /** The copy without onSend hooks that can be skipped. */
  unsent: RequestContext | null
}

type Hook = (...args: never[]) => unknown

const HOOK_NAMES = ['preValidation', 'preHandler', 'preSerialization', 'onSend', 'onError'] as const

const skippable = new WeakSet<object>()

/** The functions that let requests skip hooks. */
export interface HookSkipper {
  skip (request: FastifyRequest): void
  /** Skips onSend hooks alone. */
  skipOnSend (request: FastifyRequest): void
  /** Lets all hooks run that have not had their turn yet. */
  restore (request: FastifyRequest): void
}

/**
 * Notes that requests may skip a hook. To run a hook that does nothing costs a request 0.1 µs.
 *
 * @returns the hook, which must not need `this`: Fastify binds hooks, and would make an unknown function of this one
 */
export function skippableHook<Of extends Hook> (hook: Of): Of {
  skippable.add(hook)
  return Object.assign(hook, { bind: () => hook })
}

export function isSkippable (hook: unknown): boolean {
  return skippable.has(hook as object)
}

/**
 * Returns functions that let a request skip hooks, from its onRequest hooks on. A hook that another plugin has wrapped
 * still runs.
 *
 * The bet (Fastify 5.0 to 6.0.0-alpha.4, lib/route.js and lib/reply.js): a request has the context of its route under
 * one symbol, where everything that follows finds hooks, and where `reply.callNotFound()` puts another one. A context
 * is complete when the app is ready.
 *
 * @throws FST_ERR_VERSIONING_OPTION if this version of Fastify does not have the symbol
 */
export function hookSkipper (server: FastifyInstance): HookSkipper {
  const key = contextSymbolOf(server)
  const switchTo = (choose: (copies: Copies) => RequestContext) => (request: FastifyRequest) => {
    const holder = request as unknown as Record<symbol, RequestContext>
    holder[key] = choose(copiesOf(holder[key]))
  }
  return {
    skip: switchTo((copies) => (copies.brief ??= copyWithout(HOOK_NAMES, copies))),
    skipOnSend: switchTo((copies) => (copies.unsent ??= copyWithout(['onSend'], copies))),
    restore: switchTo(({ whole }) => whole)
  }
}

function copiesOf (context: RequestContext): Copies {
  return (context[kCopies] ??= { whole: context, brief: null, unsent: null })
}

function copyWithout (names: readonly string[], { whole }: Copies): RequestContext {
  const Class = whole.constructor as new (options: object) => RequestContext
  // V8 knows an object with the same properties in the same order already.
  const copy = Object.assign(new Class(whole), whole) as Record<string, unknown>
  for (const name of names) {
    const left = [whole[name] ?? []].flat().filter((hook) => !isSkippable(hook))
    copy[name] = left.length === 0 ? null : left
  }
  return copy as RequestContext
}
