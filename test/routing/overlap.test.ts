import t from 'tap'

import { AcceptHeaderVersioning } from '../../src/index.ts'
import { appWith, bareApp } from '../fixtures/app-with.ts'

const url = '/test/name/hello'

t.test('a path that only another version serves is refused, even if a path with a parameter matches', async (t) => {
  const app = await appWith(t, { scheme: AcceptHeaderVersioning, allowedVersions: ['3.2.0', '4.0.0'] })
  app.get('/test/:id/hello', { version: '3.2.0' }, async () => 'by id')
  app.get('/test/name/hello', { version: '4.0.0' }, async () => 'by name')
  const responseTo = (url: string, version: string) => (
    app.inject({ url, headers: { accept: `*/*; version=${version}` } })
  )
  t.equal((await responseTo('/test/7/hello', '3.2.0')).body, 'by id')
  t.equal((await responseTo(url, '4.0.0')).body, 'by name')
  const response = await responseTo(url, '3.2.0')
  t.equal(response.statusCode, 406)
  t.equal(response.json().message, 'This URL answers GET in 4.0.0.')
})

t.test("a path that another version serves falls through under Fastify's own constraint", async (t) => {
  const app = bareApp(t)
  app.get('/test/:id/hello', { constraints: { version: '3.2.0' } }, async () => 'by id')
  app.get('/test/name/hello', { constraints: { version: '4.0.0' } }, async () => 'by name')
  t.equal((await app.inject({ url, headers: { 'accept-version': '3.2.0' } })).body, 'by id')
})
