import { createHash } from 'node:crypto'

import { DAY } from './tally.ts'

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { CalledRoute, ClientUsage, UsageSummary, VersionSummary } from '../../types/usage.d.ts'
import type { Counter } from './counter.ts'
import type { Questions } from './questions.ts'

/** HTML that is safe to be put into a page. */
class Html {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }
}

type Part = Html | string | number | false | readonly Part[]

/** The style of the page. The page has no script, and loads nothing from elsewhere. */
const PAGE_STYLE = new Html(`
:root { color-scheme: light dark; --line: light-dark(#d8dee6, #3a424d); --quiet: light-dark(#5a6472, #a0aab8);
  --panel: light-dark(#f5f7fa, #1b2027); --name: light-dark(#0a58b0, #8bf); --bad: light-dark(#b00020, #ff8a80);
  --soon: light-dark(#8a5300, #f0b95a); --good: light-dark(#13753a, #6fd694) }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0 } small, .quiet { color: var(--quiet); font-size: .875rem }
code { font-size: .875em; color: var(--name) }
.bad { color: var(--bad) } .soon { color: var(--soon) } .good { color: var(--good) }
ul { margin: .25rem 0; padding-left: 1.25rem } li { margin: .125rem 0 } summary { cursor: pointer }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; margin: 1rem 0 }
.cards article { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem }
.cards h2 { margin: 0; display: flex; justify-content: space-between; gap: 0 1rem; align-items: baseline;
  flex-wrap: wrap }
.cards h2 small { font-weight: 400 }
svg { display: block; width: 100%; height: 3.5rem; margin: .5rem 0 0; border-bottom: 1px solid var(--line);
  fill: var(--name) }
svg.soon { fill: var(--soon) } svg.bad { fill: var(--bad) } td p:first-child { margin-top: 0 }
.axis { display: flex; justify-content: space-between; color: var(--quiet); font-size: .75rem }
dl { display: grid; grid-template-columns: 1fr auto; margin: .5rem 0 0; font-size: .875rem; gap: 0 1rem }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .5rem; text-align: left; vertical-align: top }
th:first-child, td:first-child { padding-left: 0 } .date { white-space: nowrap }
th { color: var(--quiet); font-size: .875rem; font-weight: 600 }
@media (max-width: 48rem) {
  body { margin: 1rem auto } thead { display: none }
  tr { display: block; border-top: 1px solid var(--line); padding: .75rem 0 }
  td { display: block; border: 0; padding: .125rem 0 } td.date::before { content: 'By: ' }
}
`)
const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${
  createHash('sha256').update(PAGE_STYLE.text).digest('base64')}'; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'"
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'
}
const DAY_OF_YEAR = { day: 'numeric', year: 'numeric', timeZone: 'UTC' } as const
const SHORT = new Intl.DateTimeFormat('en-GB', { ...DAY_OF_YEAR, month: 'short' })
const LONG = new Intl.DateTimeFormat('en-GB', { ...DAY_OF_YEAR, month: 'long' })

/** The parameters of a request for the page, or for its JSON. */
interface Asked {
  readonly Params: { readonly '*': string }
  /** `to` is a version that replaces the latest one. A guard may read any other parameter. */
  readonly Querystring: { readonly to?: string }
}

/** Serves the page, and what it shows as JSON. These routes have no version, and are not counted. */
export function servePage (
  server: FastifyInstance, prefix: string, guards: onRequestHookHandler[], counter: Counter, ask: () => Questions
): void {
  const preHandler = async ({ query: { to } }: FastifyRequest<Asked>, reply: FastifyReply) => {
    try {
      ask().toIn({ to })
    } catch (error) {
      if (to === undefined) throw error
      const { code, message } = error as FastifyError
      // An error handler of the app could answer a mistake in the URL with 500.
      return await reply.code(400).send({ statusCode: 400, code, error: 'Bad Request', message })
    }
  }
  const onRequest = [noStore as onRequestHookHandler, ...guards]
  const options = { versioning: false, onRequest, preHandler, schema: { hide: true } as object } as const
  const { of, summary } = server.versionUsage
  server.get<Asked>(prefix, options, async ({ query: { to } }, reply) => {
    const page = pageOf(await answerOr503(summary({ to })), counter.now())
    return await reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page.text)
  })
  server.get<Asked>(`${prefix}/summary.json`, options, async ({ query: { to } }) => await answerOr503(summary({ to })))
  // A wildcard has no limit. A parameter has at most 100 characters by default.
  server.get<Asked>(`${prefix}/clients/*`, options, async ({ params, query: { to } }) => (
    await answerOr503(of(params['*'], { to }))
  ))
}

async function noStore (_request: unknown, reply: FastifyReply): Promise<void> {
  reply.header('cache-control', 'no-store')
}

/** Returns an answer, or throws an error that Fastify logs with its cause, and answers with 503. */
async function answerOr503<Answer> (question: Promise<Answer>): Promise<Answer> {
  try {
    return await question
  } catch (cause) {
    const error = new Error('The store of fastify-versioning/usage cannot be read.', { cause })
    throw Object.assign(error, { statusCode: 503 })
  }
}

/** Makes HTML of a template. Values are escaped, unless they are HTML themselves. */
function html (texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, i) => text + render(parts[i] ?? false)).join(''))
}

function render (part: Part): string {
  if (part === false) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(render).join('') : escape(String(part))
}

function escape (text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character])
}

function pageOf ({ since, to, versions, clients, leaving, movable, refused }: UsageSummary, now: number): Html {
  const rest = leaving - clients.filter(({ client }) => client !== null).length
  const end = versions.findIndex(({ version }) => version === to)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Versions in use</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>Versions in use</h1>
<p>From ${dateText(since, LONG)} to ${dateText(now, LONG)} (UTC).
${leaving === 0
  ? html`<b class="good">No known client calls what is retired.</b>`
  : html`<b>${count(leaving, 'client')} must leave a version.</b> ${movable} of them would notice nothing in ${to}.`}
${refused > 0 && html`${count(refused, 'request')} specified no version, or a version that is not served.`}</p>
<section class="cards">
${versions.map((version, i) => card(version, since, i < end ? to : null, now))}
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

function card (summary: VersionSummary, since: string, to: string | null, now: number): Html {
  const { version, deprecated, sunset, calls, clients, byDefault, gone, movable, anonymous, days } = summary
  const facts: [name: string, value: number, isShown: boolean][] = [
    ['Clients', clients, true],
    ['Calls', calls, true],
    [`Clients that can be moved to ${to} today`, movable, to !== null && clients > 0],
    ['Calls by default', byDefault, byDefault > 0],
    ['Calls answered 410', gone, gone > 0],
    ['Calls of unknown clients', anonymous, anonymous > 0]
  ]
  const isPast = (date: Date) => date.getTime() <= now
  const [state, dates] = sunset !== null
    ? isPast(sunset) ? ['bad', `ended on ${dateText(sunset, LONG)}`] : ['soon', `ends on ${dateText(sunset, LONG)}`]
    : deprecated === null
      ? ['', '']
      : ['soon', `deprecated ${isPast(deprecated) ? 'since' : 'from'} ${dateText(deprecated, LONG)}`]
  const most = Math.max(...days)
  const dayText = (i: number) => dateText(Date.parse(since) + i * DAY)
  const height = (calls: number) => Math.round(calls / most * 1000) / 10
  // Each day has a bar with attributes, because the policy forbids styles.
  return html`<article>
<h2>${version} <small class="${state}">${dates}</small></h2>
<svg class="${state}" viewBox="0 0 ${days.length * 10} 100" preserveAspectRatio="none" role="img"
aria-label="Calls of ${version} by day, ${most} at most, ${days.at(-1) as number} today">
${days.map((calls, i) => calls > 0 && html`
<rect x="${i * 10 + 1}" y="${100 - height(calls)}" width="8" height="${height(calls)}"><title>${dayText(i)}: ${
  calls}</title></rect>`)}</svg>
<p class="axis"><span>${dayText(0)}</span><span>at most ${most.toLocaleString('en')} a day</span><span>${
  dayText(days.length - 1)}</span></p>
<dl>${facts.map(([name, value, isShown]) => isShown && html`<dt>${name}<dd>${value.toLocaleString('en')}`)}</dl>
</article>
`
}

function row ({ client, status, by, versions, affected, unknown, unaffected, isMovable }: ClientUsage): Html {
  const sentences = new Set(affected.flatMap(({ changes }) => changes.map(({ description }) => description)))
  const toLeave = new Set([...affected, ...unknown, ...unaffected].map(({ version }) => version))
  const left = versions.filter(({ version }) => toLeave.has(version))
  const isOverdue = status === 'overdue'
  return html`<tr>
<td>${client === null ? html`<span class="quiet">unknown clients</span>` : html`<b>${client}</b>`}
<td>${left.map(({ version, calls, byDefault, gone, lastDay }) => html`<p>${version}: ${count(calls, 'call')},
the last on ${dateText(lastDay)}${byDefault > 0 && html`<br><small>${byDefault} by default</small>`}${
  gone > 0 && html`<br><small class="bad">${gone} answered 410</small>`}`)}
<td class="date ${isOverdue ? 'bad' : 'soon'}">${by === null ? 'no date' : dateText(by)}${
  isOverdue && html`<br><b>overdue</b>`}
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

/** Returns what is different at a route. The sentences of its changes are in the row of the client. */
function details ({ method, url, version, reason, differences }: CalledRoute): Html {
  // The texts have names in backticks.
  const marked = (text: string) => new Html(escape(text).replace(/`([^`]+)`/g, '<code>$1</code>'))
  return html`<p><code>${method} ${url}</code> <small>in ${version}</small></p>
<ul class="quiet">${[reason, ...differences].filter(Boolean).map((text) => html`<li>${marked(text)}`)}</ul>`
}

/** Returns a date as text, or the text itself if it is no date, because a store may return any text as a day. */
function dateText (date: string | number | Date, format = SHORT): string {
  const time = new Date(date)
  return Number.isNaN(time.getTime()) ? String(date) : format.format(time)
}

function count (number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`
}
