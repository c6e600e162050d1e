import type { DeclaredOptions } from '../routes.ts'

type HookName = 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend' | 'onError'
type CompilerOption = 'validatorCompiler' | 'serializerCompiler'

/** Gives a route a hook before or after its other hooks. Call it when all onRoute hooks have run. */
export function addHook (options: DeclaredOptions, name: HookName, place: 'first' | 'last', hook: unknown): void {
  const others: unknown[] = [options[name] ?? []].flat()
  Object.assign(options, { [name]: place === 'first' ? [hook, ...others] : [...others, hook] })
}

/**
 * Gives a route a compiler that uses the compiler of its context. Fastify prepares that one only for routes without a
 * compiler, so this one shows itself when Fastify has looked for one.
 *
 * @param compiler turns the compiler of the context, or the route's own, into another one
 */
export function setLateCompiler (
  options: DeclaredOptions, name: CompilerOption, compiler: (own: unknown) => unknown
): void {
  const own = options[name]
  const made = compiler(own)
  let isLookedFor = own !== undefined
  Object.defineProperty(options, name, {
    configurable: true,
    enumerable: true,
    get () {
      if (isLookedFor) return made
      isLookedFor = true
      return undefined
    }
  })
}
