export { default } from './openapi/plugin.ts'
