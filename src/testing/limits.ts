import { keywordsOf, listOf } from '../changes/schema.ts'
import { isZod } from '../changes/zod.ts'

import type { ObjectSchema } from '../changes/schema.ts'
import type { ZodSchema } from '../changes/zod.ts'

/** The keywords of a schema with its bounds, formats and examples, which Zod has elsewhere. */
export function limitsOf (schema: unknown): ObjectSchema {
  if (!isZod(schema)) return keywordsOf(schema)
  const { def } = schema._zod
  const checks = [def, ...listOf(def.checks).map((check) => (check as ZodSchema)._zod.def)]
  return Object.assign({}, schema.meta?.(), keywordsOf(schema), ...checks.map(limitsOfCheck))
}

/** What a check of Zod says, in the words of JSON Schema. */
function limitsOfCheck ({ minimum, maximum, check, inclusive, value, format, pattern }: ObjectSchema): ObjectSchema {
  const bound = check === 'greater_than' ? 'Minimum' : 'Maximum'
  return {
    ...minimum !== undefined && { minLength: minimum, minItems: minimum },
    ...maximum !== undefined && { maxLength: maximum, maxItems: maximum },
    ...value !== undefined && { [inclusive === true ? bound.toLowerCase() : `exclusive${bound}`]: value },
    ...format !== undefined && { format },
    ...pattern instanceof RegExp && { pattern: pattern.source }
  }
}
