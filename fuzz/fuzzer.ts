import fc from 'fast-check'
import { inspect, isDeepStrictEqual } from 'node:util'

import type { Arbitrary } from 'fast-check'

/** What one fuzzer is: cases, and a check that throws a Mismatch. */
export interface Fuzzer<Case = unknown> {
  /** Its name on the command line. */
  readonly name: string
  /** What is generated. fast-check makes the cases from the seed, and shrinks the one that fails. */
  readonly cases: Arbitrary<Case>
  /** How many cases are checked between two looks at the clock. */
  readonly batch: number
  /**
   * Checks one case.
   *
   * @returns the number of requests, links or values that it has compared
   * @throws Mismatch
   */
  check (this: void, subject: Case): Promise<number>
  /** Ends what the checks have started. */
  close? (this: void): Promise<void>
}

/** What an arbitrary generates. */
export type Generated<Source> = Source extends Arbitrary<infer Value> ? Value : never

/** Now and then undefined. */
export const maybe = <Value> (arbitrary: Arbitrary<Value>, freq = 2): Arbitrary<Value | undefined> => (
  fc.option(arbitrary, { nil: undefined, freq })
)

/** A default version for each client: what it sends in the header X-Client. */
export const ofClient = { header: 'X-Client', version: (version: string | null) => version }

/** An answer that is not the expected one, with the case that shows it. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'

  constructor (subject: unknown, expected: unknown, got: unknown) {
    super(inspect({ subject, expected, got }, { depth: 20, breakLength: 100, maxArrayLength: null }))
  }
}

/** @throws Mismatch */
export function compare (subject: unknown, expected: unknown, got: unknown): void {
  if (!isDeepStrictEqual(got, expected)) throw new Mismatch(subject, expected, got)
}
