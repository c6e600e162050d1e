export { versionedFetch } from './fetch.ts'
export { readVersionNotice } from './notice.ts'
export { versionMiddleware } from './openapi-fetch.ts'
export { versionInterceptor } from './undici.ts'
