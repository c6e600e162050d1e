import t from 'tap'

import { pairs } from '../client/server.ts'
import { bareApp } from '../fixtures/app-with.ts'
import { checksOf } from '../system/client.ts'
import { browserFor, noBrowser } from './browser.ts'

t.test('the built client runs in a page of another origin', { skip: noBrowser }, async (t) => {
  const { code, checks } = await checksOf(t, pairs)
  const app = bareApp(t, { forceCloseConnections: true })
  app.get('/', async (_request, reply) => reply.type('text/html').send(`<script type="module">${code}</script>`))
  const page = await (await browserFor(t)).newPage()
  const said = new Promise((resolve) => {
    page.on('console', (message) => resolve(message.text()))
    page.on('pageerror', (error) => resolve(String(error)))
  })
  await page.goto(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.equal(await said, `${checks} checks`)
})
