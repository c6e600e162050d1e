/** Who still calls v1, what each client must change, and a changelog for all of them. */
import { changelog, guide, toMarkdown } from 'fastify-versioning/changelog'
import { makeApp } from './app.ts'
import { play } from './traffic.ts'

const app = await makeApp(Date.now, undefined, false, (app) => {
  app.get('/changelog', { versioning: false }, async (_request, reply) => (
    reply.type('text/markdown; charset=utf-8').send(toMarkdown(changelog(app), { title: 'What changed in Bookings' }))
  ))
  // For a client: what it must change for the latest version.
  app.get('/my-versions', { versioning: false }, async ({ headers }, reply) => {
    const { affected, to } = await app.versionUsage.of(String(headers['x-account']))
    if (affected.length === 0) return 'Nothing.\n'
    const text = toMarkdown(guide(app, { from: affected[0].version, to, endpoints: affected }))
    return await reply.type('text/markdown; charset=utf-8').send(text)
  })
})
await play(app)

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`Listening on ${url}

Who is left:            ${url}/versions-in-use?team=1
The same as JSON:       curl '${url}/versions-in-use/summary.json?team=1'
What acme must change:  curl -H 'X-Account: acme-travel' ${url}/my-versions
What changed:           curl ${url}/changelog`)
