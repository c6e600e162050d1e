import type { DeclaredOptions, Route } from '../routes.ts'

type HookName = 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend' | 'onError'
type CompilerOption = 'validatorCompiler' | 'serializerCompiler'

/** What Fastify gives a compiler. */
export interface Definition {
  readonly schema: unknown
  readonly method: string
  readonly url: string
  /** The part of the request that the schema is for. */
  readonly httpPart?: string
  /** The status that the schema is for, in lower case. */
  readonly httpStatus?: string
  readonly contentType?: string
}
export type Compile<Compiled> = (definition: Definition) => Compiled

/** Gives a route a hook before or after its other hooks. Call it when all onRoute hooks have run. */
export function addHook (options: DeclaredOptions, name: HookName, place: 'first' | 'last', hook: unknown): void {
  const others: unknown[] = [options[name] ?? []].flat()
  Object.assign(options, { [name]: place === 'first' ? [hook, ...others] : [...others, hook] })
}

/**
 * Gives a route a compiler that uses its own, or the one of its context. Fastify prepares the context's compiler only
 * for routes that have none. It reads the option twice: at first this says there is none, so that the compiler is
 * prepared, and then it returns ours, which uses it.
 *
 * @param wrap makes our compiler; `compilerOf` returns the other one as soon as Fastify compiles
 */
export function setLateCompiler<Compiled> (
  { options, server }: Route, name: CompilerOption,
  wrap: (compilerOf: () => Compile<Compiled>, isOwn: boolean) => Compile<Compiled>
): void {
  const { [name]: own } = options as DeclaredOptions
  const made = wrap(() => (own ?? server[name]) as Compile<Compiled>, own !== undefined)
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
