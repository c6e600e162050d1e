import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))

t.test('the example prints a request per scheme and a refusal, and serves documents', async (t) => {
  const example = spawn(process.execPath, ['--import=tsx', 'examples/server.ts'], { cwd: root, stdio: 'pipe' })
  t.teardown(() => example.kill())
  let output = ''
  for await (const chunk of example.stdout) {
    output += String(chunk)
    if (output.includes('curl') && output.endsWith('\n')) break
  }

  for (const link of [
    '/accept/bookings/7',
    '/content-type/bookings/9',
    '/header/bookings/7',
    '/path/v2/bookings/7',
    '/namespace/v2/bookings/7',
    '/host/bookings/7',
    '/query/bookings/7?version=v2',
    '/several/bookings/7?version=v2'
  ]) t.ok(output.includes(`→ 200 version v2, link ${link}\n`), link)
  t.ok(output.includes('→ 404 Invalid version in query parameter.\n'))

  const [, accept, url] = /curl -H 'Accept: (.*)' (http:.*)$/m.exec(output) ?? []
  const response = await fetch(url, { headers: { accept } })
  t.match(await response.json(), { version: 'v2', bookings: [{ self: '/accept/bookings/7' }, { id: '8' }] })

  const [, documentation] = /Documents: +(http:.*)$/m.exec(output) ?? []
  t.match(await (await fetch(documentation)).text(), '<title>Swagger UI</title>')
  const document = await (await fetch(`${documentation}/v2.json`)).json() as { info: { title: string }, paths: object }
  t.equal(document.info.title, 'Bookings v2')
  t.same(Object.keys(document.paths).filter((path) => path.endsWith('/bookings')), [
    '/accept/bookings',
    '/content-type/bookings',
    '/header/bookings',
    '/path/v2/bookings',
    '/namespace/v2/bookings',
    '/host/bookings',
    '/query/bookings',
    '/several/bookings'
  ])

  example.kill()
  await once(example, 'exit')
})
