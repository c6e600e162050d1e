/** The media types of a message, with what describes their content. */
export type Content = Record<string, object>

export interface Message {
  $ref?: string
  description?: string
  content?: Content
  headers?: Record<string, object>
}

/** The parts of an operation that are read or written here. */
export interface Item {
  operationId?: string
  description?: string | undefined
  deprecated?: boolean
  externalDocs?: object
  servers?: readonly { readonly url: string }[]
  parameters?: { in: string, name: string, required?: boolean, description?: string, schema: object }[]
  requestBody?: { content: Content }
  responses: Record<string, Message>
  [extension: `x-${string}`]: unknown
}

export interface Document {
  openapi?: string
  info: { title: string, description?: string | undefined, [extension: `x-${string}`]: unknown }
  paths: Record<string, { additionalOperations?: Record<string, Item> }>
  components: Record<string, Record<string, object>>
  webhooks?: Record<string, object>
  servers?: readonly { readonly url: string }[]
  [extension: `x-${string}`]: unknown
}

/** Yields the operations of a document, and other fields of its paths, with the object that has each of them. */
export function * operationsIn (
  { paths = {} }: Partial<Document>
): Generator<{ readonly path: string, readonly method: string, item: Item, holder: Record<string, Item> }> {
  for (const [path, methods] of Object.entries(paths)) {
    // From OpenAPI 3.2 on, `additionalOperations` may have any method.
    for (const holder of [methods, methods.additionalOperations ?? {}] as Record<string, Item>[]) {
      for (const [method, item] of Object.entries(holder)) yield { path, method, item, holder }
    }
  }
}
