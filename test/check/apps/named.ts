import { make } from './make.ts'

export const app = await make(['v/1', 'v:1', 'unlisted'])
