import { schemeOf } from '../context.ts'
import { NoReverseMatchError } from '../errors.ts'
import { show } from '../messages.ts'
import { emptyIn } from '../paths/template.ts'
import { CheckedOptions, NO_ARGS, kwargsOf } from './link-options.ts'

import type { Registry } from './registry.ts'
import type { LinkTarget } from './target.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseArgs, ReverseKwargs, ReverseOptions, ReversingRequest } from '../../types/index.d.ts'

// Errors have their own functions: what a closure holds costs every call of the function around it.
export function noRegistry (viewName: string | null, options: ReverseOptions): NoReverseMatchError {
  return noMatch(options, true, () => `Cannot reverse ${show(viewName)} with a scheme that no app has registered.`)
}

export function noName (registry: Registry, name: string, options: ReverseOptions): NoReverseMatchError {
  return noMatch(options, true, () => registry.explainUnknown(name))
}

export function noNamedPath (
  target: LinkTarget, name: string, options: ReverseOptions, impliedName: string | null = null,
  implied: string | null = null
): NoReverseMatchError {
  return noMatch(options, false, () => {
    const kwargs = kwargsOf(options)
    // Only the scheme has tried the version on a path that has no place for it.
    const isImplied = impliedName !== null && target.names.includes(impliedName)
    if (impliedName !== null && !isImplied && target.fill(options.args ?? NO_ARGS, kwargs, null, null) !== null) {
      return withoutVersion(name, implied)
    }
    const all = isImplied ? { [impliedName]: implied, ...kwargs } : kwargs
    return target.explain(`Route ${show(name)}`, options.args ?? NO_ARGS, all)
  })
}

export function noCurrentRoute (options: ReverseOptions): NoReverseMatchError {
  return noMatch(options, true, () => 'There is no current route to reverse.')
}

export function noCounterpart (
  options: ReverseOptions, name: string, namespaces: readonly (readonly string[])[]
): NoReverseMatchError {
  return noMatch(options, false, () => {
    const sought = namespaces.map((names) => (
      names.length === 0 ? 'outside of namespaces' : `in ${show(names.join(':'))}`
    ))
    return `The current route, ${show(name)}, is not ${sought.join(' or ')}.`
  })
}

export function noCurrentPath (
  target: LinkTarget, options: ReverseOptions, args: ReverseArgs, kwargs: ReverseKwargs, empty: readonly string[],
  versionName: string | null
): NoReverseMatchError {
  const error = noMatch(options, false, () => target.explain('The current route', args, kwargs, empty))
  // If only these values fail, the client sent them: 400.
  const request = options.request as ReversingRequest
  const own = { ...versionName === null ? null : { [versionName]: request.version }, ...request.params as object }
  if (target.takes(own) && target.refill(NO_ARGS, own, emptyIn(own)) === null) error.statusCode = 400
  return error
}

export function noValidParams (options: ReverseOptions): NoReverseMatchError {
  const error = noMatch(options, false, () => 'The parameters of the current route are not valid in the version ' +
    `${show((options.request as ReversingRequest).version)} of the request.`)
  error.statusCode = 400
  return error
}

export function noVersion (
  viewName: string | null, options: ReverseOptions, version: string | null
): NoReverseMatchError {
  return noMatch(options, false, () => withoutVersion(viewName, version))
}

function withoutVersion (viewName: string | null, version: string | null): string {
  const route = viewName === null ? 'The current route' : `Route ${show(viewName)}`
  return `${route} has no URL that specifies the version ${show(version)}.`
}

export function noSharedVersion (
  from: Scheme, { route }: LinkTarget, viewName: string, options: ReverseOptions
): NoReverseMatchError {
  return noMatch(options, false, () => (
    `Route ${show(viewName)} has no URL that would be answered: ${(schemeOf(route) as Scheme).label} requires a ` +
    `version there, and allows none that ${from.label} allows here.`
  ))
}

/** `reply.reverse` and `app.reverse` locate an error where it leaves them, because many never do. */
function noMatch (options: ReverseOptions, isNameUnknown: boolean, explain: () => string): NoReverseMatchError {
  const error = new NoReverseMatchError(explain, isNameUnknown)
  return options instanceof CheckedOptions ? error : error.locate(noMatch)
}
