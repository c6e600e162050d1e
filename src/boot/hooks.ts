import { completeLinks, completeLinksOnError } from '../lifecycle/headers.ts'
import { completeVary, completeVaryOnError } from '../requests/determine.ts'
import { sendProblem } from '../requests/problem.ts'

import type { RouteOptions, onErrorHookHandler, onSendHookHandler } from 'fastify'
import type { VersioningContext } from '../context.ts'
import type { VersioningScheme } from '../../types/index.d.ts'

/** What decides on the hooks of a route. */
interface Judged {
  /** Null: the route has no versions. */
  readonly scheme: VersioningScheme | null
  readonly context: VersioningContext
  readonly options: RouteOptions
  /** Whether requests come to it by a header that the scheme of another route reads. */
  readonly isVaried: boolean
}

/** Hooks that only those routes have that need them; all others pay nothing. */
export interface RouteHooks {
  readonly isFor: (route: Judged) => boolean
  readonly onSend: onSendHookHandler
  readonly onError: onErrorHookHandler | null
  /** Whether it comes before the route's own hooks, or after them. */
  readonly isFirst: boolean
}

const HOOKS: readonly RouteHooks[] = [
  {
    isFor: ({ scheme, isVaried }) => isVaried || typeof scheme?.vary === 'string',
    onSend: completeVary,
    onError: completeVaryOnError,
    isFirst: false
  },
  {
    isFor: ({ scheme, context, options }) => (
      scheme !== null && (options.deprecated !== undefined || context.lifecycle !== null)
    ),
    onSend: completeLinks,
    onError: completeLinksOnError,
    isFirst: false
  },
  // Of a HEAD request, and of what compresses, the hooks that follow leave no text.
  {
    isFor: ({ scheme, context }) => scheme !== null && context.problemBase !== null,
    onSend: sendProblem,
    onError: null,
    isFirst: true
  }
]

/**
 * Gives a route the hooks that it needs, and takes from it those that it needs no more.
 *
 * @param given those that it has been given so far
 * @returns those that it has now
 */
export function applyHooks (judged: Judged, given: readonly RouteHooks[]): readonly RouteHooks[] {
  const { options } = judged
  let all = given
  for (const hooks of HOOKS) {
    const isOn = hooks.isFor(judged)
    if (isOn === given.includes(hooks)) continue
    const { onSend, onError, isFirst } = hooks
    options.onSend = toggled([options.onSend ?? []].flat(), onSend, isOn, isFirst)
    if (onError !== null) options.onError = toggled([options.onError ?? []].flat(), onError, isOn, isFirst)
    all = toggled(all, hooks, isOn, false)
  }
  return all
}

function toggled<Hook> (hooks: readonly Hook[], hook: Hook, isOn: boolean, isFirst: boolean): Hook[] {
  if (!isOn) return hooks.filter((one) => one !== hook)
  return isFirst ? [hook, ...hooks] : [...hooks, hook]
}
