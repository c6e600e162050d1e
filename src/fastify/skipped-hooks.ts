import { contextSymbolOf } from './symbols.ts'

import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Where a context keeps its copies without what can be skipped. */
const kCopies: unique symbol = Symbol('fastify-versioning.copies')

/** What Fastify keeps of a route: its hooks, by name, among much else. */
interface RequestContext {
  readonly [hook: string]: unknown
  [kCopies]?: Copies
}

/** A context, and its copies, each of which knows the others. */
interface Copies {
  readonly whole: RequestContext
  /** Without any hook that can be skipped. */
  brief: RequestContext | null
  /** Without those of onSend. */
  unsent: RequestContext | null
}

type Hook = (...args: never[]) => unknown

const HOOK_NAMES = ['preValidation', 'preHandler', 'preSerialization', 'onSend', 'onError'] as const

const skippable = new WeakSet<object>()

/** Lets requests skip hooks. */
export interface HookSkipper {
  skip (request: FastifyRequest): void
  /** Those of onSend alone. */
  skipOnSend (request: FastifyRequest): void
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

export function isSkippable (hook: unknown): boolean {
  return skippable.has(hook as object)
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
  // The same properties in the same order, which V8 knows already.
  const copy = Object.assign(new Class(whole), whole) as Record<string, unknown>
  for (const name of names) {
    const left = [whole[name] ?? []].flat().filter((hook) => !isSkippable(hook))
    copy[name] = left.length === 0 ? null : left
  }
  return copy as RequestContext
}
