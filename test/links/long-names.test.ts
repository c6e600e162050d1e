import t from 'tap'

import { QueryParameterVersioning } from '../../src/index.ts'
import { appWith } from '../fixtures/app-with.ts'

t.test('an unknown name of up to 60 characters gets a near name, and a longer one does not', async (t) => {
  const app = await appWith(t, { scheme: QueryParameterVersioning })
  const name = 'a'.repeat(60)
  app.get('/a', { name }, async () => '')
  app.get('/b', { name: `${name}a` }, async () => '')
  await app.ready()
  t.throws(() => app.reverse(`b${name.slice(1)}`), { message: /Did you mean '/ })
  t.throws(() => app.reverse(`b${name}`), { message: /^No route is named '[^']+'\.$/ })
  t.throws(() => app.reverse('a', null, { ['b'.repeat(61)]: 1 } as never), { message: /The options are args/ })
})
