export { versionedFetch } from './fetch.ts'
export { readVersionNotice } from './notice.ts'
