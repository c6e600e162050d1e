export type * from '../../types/testing.d.ts'
export { checkChanges } from './check-changes.ts'
export { dropReport } from './drop-report.ts'
