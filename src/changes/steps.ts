import type { Change } from '../../types/index.d.ts'

export type ChangeFunction = (value: unknown) => unknown

/** A part of a request, by its name in the option `schema` of a route. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

export const REQUEST_PARTS: readonly RequestPart[] = ['body', 'querystring', 'params', 'headers']

/** A change as it was read. */
export interface ReadChange {
  readonly change: Change
  /** As messages show it: `'v2' (A booking has several guests.)`. */
  readonly label: string
  /** The index of its version among the allowed ones. */
  readonly index: number
  readonly schemas: ReadonlyMap<string, SchemaStep>
  /** Schemas inside the older ones, by `$id`. */
  readonly extras: ReadonlyMap<string, unknown>
  readonly routes: ReadonlyMap<string, RouteStep>
}

/** The change of a schema. */
export interface SchemaStep {
  readonly id: string
  readonly change: ReadChange
  readonly older: unknown
  readonly upgrade: ChangeFunction | null
  readonly downgrade: ChangeFunction | null
  /** Whether an older value is the same again when it has been upgraded and downgraded. */
  readonly isLossless: boolean
}

/** The changes of a route in one version. */
export interface RouteStep {
  readonly older: ReadonlyMap<RequestPart, Said<unknown>>
  readonly parts: ReadonlyMap<RequestPart, Said<PartFunctions>>
  /** By status. False: payloads of that status are left as they are. */
  readonly response: ReadonlyMap<string, Said<ResponseStep | false>>
}

/** One entry of a change. */
export interface Said<Value> {
  readonly change: ReadChange
  readonly value: Value
}

export interface PartFunctions {
  readonly upgrade: ChangeFunction
  readonly downgrade: ChangeFunction | null
}

export interface ResponseStep {
  /** Undefined if the schema stays. */
  readonly older: unknown
  readonly downgrade: ChangeFunction
}

/** What is undone between a version and the one before it. */
export interface Step {
  /** The index of the version that has the changes, among the allowed ones. */
  readonly index: number
  readonly changes: readonly ReadChange[]
  readonly schemas: ReadonlyMap<string, SchemaStep>
  readonly extras: ReadonlyMap<string, unknown>
  readonly routes: ReadonlyMap<string, RouteStep>
}
