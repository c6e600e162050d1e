import { readFileSync } from 'node:fs'

import type { HTTPMethods } from 'fastify'

export type SchemeName =
  'AcceptHeaderVersioning' | 'BaseVersioning' | 'HostNameVersioning' | 'NamespaceVersioning' |
  'QueryParameterVersioning' | 'URLPathVersioning'

type Named<Value = string> = Readonly<Record<string, Value>>

export interface VectorSettings {
  readonly defaultVersion: string | null
  readonly allowedVersions: readonly (string | null)[] | null
  readonly versionParam: string
  readonly allowedVersionsKind?: 'tuple' | 'set'
}

export interface VectorRequest { readonly method: HTTPMethods, readonly url: string, readonly headers: Named }

export interface VectorRoute {
  readonly name: string
  readonly path: string
  readonly prefix?: string
  readonly namespace?: string
  readonly constraints?: Named
  readonly extra?: Named<string | null>
}

/** What the scheme receives in place of what a router would have found. */
export interface Direct {
  readonly kwargs: Named<string | null>
  readonly resolverMatch?: { readonly namespace: string } | null
  readonly host?: string
}

export type DetermineAnswer =
  { readonly version: string | null } |
  { readonly error: string, readonly status: number, readonly message: string | null }

export type ReverseAnswer = { readonly url: string, readonly path: string } | { readonly error: string }

interface Labels {
  readonly id: string
  readonly group: string
  readonly level: 'seed' | 'drf' | 'host' | 'excluded'
  readonly tags: readonly string[]
}

interface Served extends Labels {
  readonly scheme: SchemeName | null
  readonly className?: string
  readonly settings: VectorSettings
  readonly request: VectorRequest
  readonly routes: readonly VectorRoute[]
  readonly renderers?: readonly string[]
}

export interface DetermineVector extends Served {
  readonly kind: 'determine'
  readonly direct?: Direct
  readonly expect: DetermineAnswer
  readonly expectAnyOf?: readonly DetermineAnswer[]
}

export interface ReverseVector extends Served {
  readonly kind: 'reverse'
  readonly reverse: {
    readonly viewname: string
    readonly args: readonly (string | number)[] | null
    readonly kwargs: Named<string | number | null> | null
    readonly format: string | null
    readonly query?: readonly (readonly [name: string, value: string])[]
    readonly withRequest?: false
  }
  readonly requestVersion: string | null
  readonly expect: { readonly viaScheme?: ReverseAnswer, readonly viaHelper: ReverseAnswer }
}

/** What `isAllowedVersion` takes, and what replaces the parameter of a query. */
type Plain =
  | { readonly kind: 'isAllowed', readonly settings: VectorSettings, readonly version: string | null }
  | { readonly kind: 'replaceQueryParam', readonly input: Readonly<Record<'url' | 'name' | 'value', string>> }

export type Vector = DetermineVector | ReverseVector | (Labels & Plain & { readonly expect: Named<unknown> })

const file = new URL('../vectors/drf-answers.json', import.meta.url)
const data: { readonly count: number, readonly vectors: readonly Vector[] } = JSON.parse(readFileSync(file, 'utf8'))

export const { count, vectors } = data
