import { elementsOf, itemOf } from './json.ts'
import { typeOf } from './types.ts'

/** A copy of a part of a document. */
type Fields = Record<string, unknown>

/** Removes from a parameter, a header or a body what OpenAPI takes where it is left out. */
export function dropDefaults (part: Fields): void {
  const byDefault = part.in === 'query' || part.in === 'cookie' ? 'form' : 'simple'
  const { style = byDefault } = part
  const types = elementsOf([itemOf(part.schema).type].flat())
  // It has no effect on a single value.
  if (types.every((type) => type !== undefined && type !== 'array' && type !== 'object')) delete part.explode
  const defaults = {
    style: byDefault,
    explode: style === 'form' || style === 'cookie',
    allowReserved: false,
    allowEmptyValue: false,
    required: false
  }
  for (const [name, value] of Object.entries(defaults)) if (part[name] === value) delete part[name]
}

/**
 * Removes from a media type the encodings that OpenAPI takes where they are left out. A style that is written out
 * stays: the content type of such a part is ignored.
 */
export function dropEncodings (media: Fields): void {
  const encodings = { ...itemOf(media.encoding) } as Record<string, Fields>
  for (const [name, encoding] of Object.entries(encodings)) {
    const schema = itemOf(itemOf(media.schema).properties)[name]
    const { contentType, ...others } = encoding
    if (Object.keys(itemOf(others.headers)).length === 0) delete others.headers
    if (contentType !== undefined && contentType !== contentTypeOf(schema)) continue
    if (Object.keys(others).length === 0) delete encodings[name]
    else encodings[name] = others
  }
  if (Object.keys(encodings).length > 0) media.encoding = encodings
  else delete media.encoding
}

/** Encoding Object, `contentType`. */
function contentTypeOf (schema: unknown): string {
  const { type, format, enum: values, items } = itemOf(schema)
  const valueType = type ?? elementsOf(values).map(typeOf)[0]
  if (valueType === 'array') return contentTypeOf(items)
  if (valueType === 'object') return 'application/json'
  return valueType === undefined || format === 'binary' ? 'application/octet-stream' : 'text/plain'
}
