import { createHash } from 'node:crypto'

import { STYLE, html, marked } from './html.ts'
import { DAY } from './tally.ts'

import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import type { CalledRoute, ClientUsage, UsageSummary, VersionSummary } from '../../types/usage.d.ts'
import type { Html } from './html.ts'

const STYLE_HASH = createHash('sha256').update(STYLE.text).digest('base64')
const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'"

const LONG = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Serves the page, and what it shows as JSON. These routes have no version, and are not counted. */
export function servePage (
  server: FastifyInstance, prefix: string, onRequest: onRequestHookHandler[], now: () => number
): void {
  const options = { versioning: false, onRequest, schema: { hide: true } as object } as const
  const fresh = (reply: FastifyReply) => reply.header('cache-control', 'no-store')
  server.get(prefix, options, async (_request, reply) => {
    const page = pageOf(await server.versionUsage.summary(), now())
    return await fresh(reply).header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page.text)
  })
  server.get(`${prefix}/summary.json`, options, async (_request, reply) => {
    return await fresh(reply).send(await server.versionUsage.summary())
  })
  server.get<{ Params: { client: string } }>(`${prefix}/clients/:client`, options, async ({ params }, reply) => {
    return await fresh(reply).send(await server.versionUsage.of(params.client))
  })
}

function pageOf ({ since, to, versions, clients, leaving, movable, refused }: UsageSummary, now: number): Html {
  const rest = leaving - clients.filter(({ client }) => client !== null).length
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Versions in use</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>Versions in use</h1>
<p>From ${LONG.format(Date.parse(since))} to ${LONG.format(now)} (UTC).
${leaving === 0
  ? html`<b class="good">No known client calls what is retired.</b>`
  : html`<b>${count(leaving, 'client')} must leave a version.</b> ${movable} of them would notice nothing in ${to}.`}
${refused > 0 && html`${count(refused, 'request')} specified no version, or a version that is not served.`}</p>
<section class="cards">
${versions.map((version) => card(version, since, to, now))}
</section>
${clients.length > 0 && html`<h2>Who is left</h2>
<table>
<thead><tr><th>Client<th>Calls<th>By<th>What it must change for ${to}</thead>
<tbody>
${clients.map(row)}
</tbody>
</table>
${rest > 0 && html`<p class="quiet">And ${count(rest, 'client')} with fewer calls.`}`}
</body>
</html>
`
}

function card (summary: VersionSummary, since: string, to: string, now: number): Html {
  const { version, deprecated, sunset, calls, clients, byDefault, gone, movable, anonymous, days } = summary
  const facts: [name: string, value: number, isShown: boolean][] = [
    ['Clients', clients, true],
    ['Calls', calls, true],
    [`Clients that can be moved to ${to} today`, movable, version !== to && clients > 0],
    ['Calls by default', byDefault, byDefault > 0],
    ['Calls answered 410', gone, gone > 0],
    ['Calls of unknown clients', anonymous, anonymous > 0]
  ]
  const isOver = sunset !== null && sunset.getTime() <= now
  const state = isOver ? 'bad' : deprecated ?? sunset ? 'soon' : ''
  const dates = sunset !== null
    ? `${isOver ? 'ended' : 'ends'} on ${LONG.format(sunset)}`
    : deprecated !== null && `deprecated ${deprecated.getTime() <= now ? 'since' : 'from'} ${LONG.format(deprecated)}`
  return html`<article>
<h2>${version} <small class="${state}">${dates}</small></h2>
${bars(days, since, version, state)}
<dl>${facts.map(([name, value, isShown]) => isShown && html`<dt>${name}<dd>${value.toLocaleString('en')}`)}</dl>
</article>
`
}

/** A bar for each day. It has attributes and no styles, which the policy forbids. */
function bars (days: readonly number[], since: string, version: string, state: string): Html {
  const most = Math.max(...days)
  const dateOf = (i: number) => SHORT.format(Date.parse(since) + i * DAY)
  const height = (calls: number) => Math.round(calls / most * 1000) / 10
  return html`<svg class="${state}" viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img"
aria-label="Calls of ${version} by day, ${most} at most, ${days.at(-1)} today">
${days.map((calls, i) => calls > 0 && html`
<rect x="${i * 10 + 1}" y="${100 - height(calls)}" width="8" height="${height(calls)}"><title>${dateOf(i)}: ${
  calls}</title></rect>`)}</svg>
<p class="axis"><span>${dateOf(0)}</span><span>at most ${most.toLocaleString('en')} a day</span><span>${
  dateOf(days.length - 1)}</span></p>`
}

function row ({ client, status, by, to, versions, affected, unknown, unaffected, isMovable }: ClientUsage): Html {
  const sentences = new Set(affected.flatMap(({ changes }) => changes.map(({ description }) => description)))
  const older = versions.filter(({ version }) => version !== to)
  return html`<tr>
<td>${client === null ? html`<span class="quiet">unknown clients</span>` : html`<b>${client}</b>`}
<td>${older.map(({ version, calls, byDefault, gone, lastDay }) => html`<p>${version}: ${count(calls, 'call')},
the last on ${SHORT.format(Date.parse(lastDay))}${byDefault > 0 && html`<br><small>${byDefault} by default</small>`}${
  gone > 0 && html`<br><small class="bad">${gone} answered 410</small>`}`)}
<td class="date ${status === 'overdue' ? 'bad' : 'soon'}">${by === null ? 'no date' : SHORT.format(by)}${
  status === 'overdue' && html`<br><b>overdue</b>`}
<td>${isMovable === true && html`<b class="good">Nothing but the version.</b>`}
${affected.length > 0 && html`<details><summary>${affected.map(({ method, url, calls }, i) => (
  html`${i > 0 && ', '}<code>${method} ${url}</code> <small>${calls}</small>`
))}</summary>${affected.map(details)}</details><p>${[...sentences].join(' ')}</p>`}
${unknown.length > 0 && html`<details><summary>${count(unknown.length, 'route')} to be looked at</summary>${
  unknown.map(details)}</details>`}
${unaffected.length > 0 && html`<p class="quiet">Unaffected: ${
  unaffected.map(({ method, url }) => `${method} ${url}`).join(', ')}`}
`
}

/** What is different at a route. The sentences of its changes are in the row of the client. */
function details ({ method, url, version, reason, differences }: CalledRoute): Html {
  return html`<p><code>${method} ${url}</code> <small>in ${version}</small></p>
<ul class="quiet">${[reason, ...differences].filter(Boolean).map((text) => html`<li>${marked(text)}`)}</ul>`
}

function count (number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`
}
