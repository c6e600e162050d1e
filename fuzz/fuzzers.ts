import { changing } from './changes/changes.ts'
import { choice } from './choice/choice.ts'
import { linking } from './links/links.ts'
import { values } from './links/values.ts'
import { schemes } from './schemes/schemes.ts'
import { wire } from './wire/wire.ts'

import type { Fuzzer } from './fuzzer.ts'

/** Every fuzzer, in the order in which they run. */
export const fuzzers = [choice, linking, values, schemes, changing, wire] as Fuzzer[]
