import { make } from './make.ts'

const app = await make()
app.addHook('onClose', () => new Promise(() => undefined))

export default app
