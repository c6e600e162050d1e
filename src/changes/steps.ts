import { show } from '../messages.ts'

import type { Change } from '../../types/index.d.ts'

export type ChangeFunction = (value: unknown) => unknown

/** A part of a request, by its name in the option `schema` of a route. */
export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

export const REQUEST_PARTS: readonly RequestPart[] = ['body', 'querystring', 'params', 'headers']

/** A change as messages show it: `'v2' (A booking has several guests.)`. */
export function changeLabel ({ version, description }: Pick<Change, 'version' | 'description'>): string {
  return `${show(version)} (${description})`
}

/** A change as it was read. */
export interface ReadChange {
  readonly change: Change
  /** As `changeLabel` makes it. */
  readonly label: string
  /** The index of its version among the allowed ones. */
  readonly index: number
  readonly schemas: ReadonlyMap<string, SchemaStep>
  readonly routes: ReadonlyMap<string, RouteStep>
}

/** The change of a part of a request, or of the responses of a status. */
export interface PartStep {
  readonly change: ReadChange
  /** Undefined if the schema stays. */
  readonly older: unknown
  /** Null for responses. */
  readonly upgrade: ChangeFunction | null
  /** Null for responses that are sent as they are. */
  readonly downgrade: ChangeFunction | null
}

/** The change of a schema. */
export interface SchemaStep extends PartStep {
  readonly id: string
  /** Schemas inside the older one, by `$id`. */
  readonly extras: ReadonlyMap<string, unknown>
  /** Whether an older value is the same again when it has been upgraded and downgraded. */
  readonly isLossless: boolean
}

/** The changes of a route in one version. */
export interface RouteStep {
  readonly parts: ReadonlyMap<RequestPart, PartStep>
  /** By status, in lower case. */
  readonly response: ReadonlyMap<string, PartStep>
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
