import { exempting } from '../requests/refusal-body.ts'
import { completeLast } from '../requests/vary.ts'

import type { DeclaredOptions, Route } from '../routes.ts'

/**
 * Prepares a route for its responses: they keep Vary and Link, and refusals have the body of an error. Fastify reads
 * the options when the app is ready. Until then later onRoute hooks may set them, and the context may get a scheme.
 */
export function prepareResponses (route: Route, options: DeclaredOptions): void {
  complete(options, 'onSend', (given) => {
    if (!keepsHeaders(route)) return given
    const hooks = [given ?? []].flat().filter((hook) => hook !== completeLast)
    // Fastify runs hooks of a route after all others.
    return [...hooks, completeLast]
  })
  complete(options, 'serializerCompiler', (given) => exempting(given ?? route.server.serializerCompiler, options))
}

/** Completes an option each time it is read. */
function complete<Name extends 'onSend' | 'serializerCompiler'> (
  options: DeclaredOptions, name: Name, completed: (given: DeclaredOptions[Name]) => DeclaredOptions[Name]
): void {
  let given = options[name]
  Object.defineProperty(options, name, {
    configurable: true,
    enumerable: true,
    get: () => completed(given),
    set: (value: DeclaredOptions[Name]) => { given = value }
  })
}

/** Whether responses of a route have headers of ours that a handler could replace. */
function keepsHeaders ({ context, retirement, scheme }: Route): boolean {
  return scheme !== null && (scheme.varies !== null || retirement !== undefined || context.lifecycle !== null)
}
