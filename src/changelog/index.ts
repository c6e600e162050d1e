export { changelog, guide } from './app.ts'
export { changelogOf } from './documents.ts'
export { toMarkdown } from './markdown.ts'
