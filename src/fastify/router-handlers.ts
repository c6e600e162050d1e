/**
 * Handlers of a path as the router numbers them.
 *
 * The bet (find-my-way 9, lib/handler-storage.js): they are the bits of a number. A constraint answers those that may
 * take the request, 0 for none; of the bits that all constraints answer the router takes the highest. There are at most
 * 31 of them, because the number has 32 bits and a sign.
 */
export type Handlers = number

/** How many handlers a path may have where one has a constraint. */
export const MAX_HANDLERS = 31

/** The handlers of several routes: the router takes the last one of them that its other constraints allow. */
export function joined (handlers: readonly Handlers[]): Handlers {
  return handlers.reduce((all, bit) => all | bit, 0)
}
