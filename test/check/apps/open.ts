import { make } from './make.ts'

export default await make()

setInterval(() => undefined, 1_000)
