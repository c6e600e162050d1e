import 'fastify-versioning'

declare module 'fastify-versioning' {
  interface SchemeLinkOptions {
    tenant?: string | undefined
  }
}
