import type { DeclaredOptions } from '../routes.ts'

type HookName = 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend' | 'onError'

/** Gives a route a hook before or after its other hooks. Call it when all onRoute hooks have run. */
export function addHook (options: DeclaredOptions, name: HookName, place: 'first' | 'last', hook: unknown): void {
  const others: unknown[] = [options[name] ?? []].flat()
  Object.assign(options, { [name]: place === 'first' ? [hook, ...others] : [...others, hook] })
}
