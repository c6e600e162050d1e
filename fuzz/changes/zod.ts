import { z } from 'zod'

type Json = ReturnType<JSON['parse']>

/** A schema of Zod that says the same as a JSON Schema of a generated app. */
export function zodOf (schema: Json): z.ZodType {
  const { type, anyOf, const: only, enum: several, items, properties, required = [] } = schema
  if (only !== undefined) return z.literal(only)
  if (several !== undefined) return z.enum(several)
  if (anyOf !== undefined) return z.union(anyOf.map(zodOf))
  if (Array.isArray(type)) return zodOf({ ...schema, type: type[0] }).nullable()
  switch (type) {
    case 'object': {
      if (properties === undefined) return z.record(z.string(), zodOf(schema.additionalProperties))
      const members = Object.entries(properties).map(([key, member]) => (
        [key, required.includes(key) ? zodOf(member) : zodOf(member).optional()] as const
      ))
      return (schema.additionalProperties === true ? z.looseObject : z.object)(Object.fromEntries(members))
    }
    case 'array': return z.array(zodOf(items)).min(schema.minItems ?? 0)
    case 'integer': return schema.minimum === undefined ? z.int() : z.int().min(schema.minimum)
    case 'number': return z.number()
    case 'boolean': return z.boolean()
    case 'null': return z.null()
    default: return textOf(schema)
  }
}

function textOf ({ format, pattern, maxLength }: Json): z.ZodType {
  if (format === 'date-time') return z.iso.datetime({ offset: true })
  if (pattern !== undefined) return z.string().regex(new RegExp(pattern))
  return maxLength === undefined ? z.string() : z.string().max(maxLength)
}
