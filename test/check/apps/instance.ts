import { make } from './make.ts'

export default await make()
