import { inspect } from 'node:util'

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

/** An answer that is not the expected one. Its text is a whole program that shows it. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'

  constructor (program: string, expected: unknown, got: unknown) {
    super([program, comment('Expected:', expected), comment('Got:', got)].join('\n'))
  }
}

function comment (title: string, value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 9, breakLength: 100 })
  return [title, ...text.split('\n')].map((line) => `// ${line}`).join('\n')
}
