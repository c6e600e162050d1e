import { choice } from './choice/choice.ts'

import type { Fuzzer } from './fuzzer.ts'

/** Every fuzzer, in the order in which they run. */
export const fuzzers = [choice] as Fuzzer[]
