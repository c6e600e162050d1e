/**
 * The handlers of a path as the router numbers them.
 *
 * The bet (find-my-way 9, lib/handler-storage.js): each handler is a bit of a number. A constraint answers the bits of
 * the handlers that may take the request, or 0. Of the bits that all constraints answer, the router takes the highest.
 * There are at most 31 handlers, because the number has 32 bits and a sign.
 */
export type Handlers = number

/** The most handlers that a path may have if a handler has a constraint. */
export const MAX_HANDLERS = 31

/** Joins the handlers of several routes: the router takes the last of them that its other constraints allow. */
export function joined (handlers: readonly Handlers[]): Handlers {
  return handlers.reduce((all, bit) => all | bit, 0)
}
