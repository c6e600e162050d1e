import { readVersionNotice } from 'fastify-versioning/client'

/** What the plugin sets, in the order in which it is shown. */
const HEADERS = [
  'API-Version', 'Vary', 'Deprecation', 'Sunset', 'Link', 'API-Supported-Versions', 'API-Deprecated-Versions'
]

const version = document.querySelector('#version')
const rows = (await (await fetch('/questions')).json()).map(rowOf)

version.addEventListener('change', () => rows.forEach(({ describe }) => describe()))
document.querySelector('#all').addEventListener('click', () => Promise.all(rows.map(({ send }) => send())))

/** A line of the table: a request, a button that sends it, and the response. */
function rowOf (question) {
  const line = document.querySelector('#schemes').insertRow()
  const request = element('pre')
  const response = element('pre')
  const button = element('button', 'Send')
  const about = [element('strong', question.scheme), element('code', question.code), element('p', question.note ?? '')]
  button.setAttribute('aria-label', `Send the request: ${question.scheme}`)
  const cells = { Scheme: about, Request: [request], Send: [button], Response: [response] }
  for (const [label, content] of Object.entries(cells)) {
    const cell = line.insertCell()
    cell.dataset.label = label
    cell.append(...content)
  }

  function describe () {
    request.replaceChildren(...textOf(filled(question)).split(/\b(v\d)\b/).map((text, index) => (
      index % 2 === 0 ? text : element('mark', text)
    )))
    response.replaceChildren()
  }

  async function send () {
    const { path, ...init } = filled(question)
    const answer = await fetch(path, init)
    const notice = readVersionNotice(answer, null, { method: init.method ?? 'GET', version: version.value })
    response.replaceChildren(
      statusOf(answer),
      ...HEADERS.filter((name) => answer.headers.has(name)).flatMap((name) => headerOf(answer, name)),
      `\n${await answer.text()}`,
      ...notice?.isDeprecated ? [element('em', `\n\nThe client reports: ${notice.message}`)] : []
    )
  }

  describe()
  if (question.headers?.Host === undefined) button.addEventListener('click', send)
  else button.remove()
  return { describe, send: button.isConnected ? send : () => {} }
}

function statusOf ({ status, statusText, ok }) {
  return Object.assign(element('strong', `${status} ${statusText}\n`), { className: ok ? '' : 'refused' })
}

function headerOf ({ headers }, name) {
  return [element('b', `${name}:`), ` ${headers.get(name)}\n`]
}

/** The request in the version that is chosen, as `fetch` takes it. */
function filled (question) {
  const other = version.value === 'v1' ? 'v2' : 'v1'
  const text = JSON.stringify(question).replaceAll('{version}', version.value).replaceAll('{other}', other)
  const { path, headers = {}, body } = JSON.parse(text)
  return body === undefined ? { path, headers } : { path, headers, method: 'POST', body: JSON.stringify(body) }
}

/** The request as curl sends it, where a browser cannot; otherwise as it is in HTTP. */
function textOf ({ path, headers, method = 'GET', body }) {
  if (headers.Host !== undefined) return `curl -i -H 'Host: ${headers.Host}' ${window.location.origin}${path}`
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path}`, ...lines, ...body === undefined ? [] : ['', body]].join('\n')
}

function element (name, text = '') {
  return Object.assign(document.createElement(name), { textContent: text })
}
