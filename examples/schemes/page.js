import { readVersionNotice } from 'fastify-versioning/client'

/** What the plugin sets, in the order in which it is shown. */
const HEADERS = [
  'API-Version', 'Vary', 'Deprecation', 'Sunset', 'Link', 'API-Supported-Versions', 'API-Deprecated-Versions'
]

const version = document.querySelector('#version')
const lines = (await (await fetch('/lines')).json()).map(lineOf)

version.addEventListener('change', () => lines.forEach(({ describe }) => describe()))
document.querySelector('#all').addEventListener('click', () => Promise.all(lines.map(({ send }) => send())))
await lines[0].send()

/** A line of the table: a request, a button that sends it, and the response. */
function lineOf (line) {
  const row = document.querySelector('#schemes').insertRow()
  const request = element('pre')
  const response = element('pre')
  const button = element('button', 'Send')
  const about = [element('strong', line.title), element('code', line.code), element('p', line.note ?? '')]
  button.setAttribute('aria-label', `Send the request: ${line.title}`)
  response.setAttribute('aria-live', 'polite')
  const cells = { Scheme: about, Request: [request], Send: [button], Response: [response] }
  for (const [label, content] of Object.entries(cells)) {
    const cell = row.insertCell()
    cell.dataset.label = label
    cell.append(...content)
  }

  function describe () {
    request.replaceChildren(...textOf(filled(line)).split(/\b(v\d)\b/).map((text, index) => (
      index % 2 === 0 ? text : element('mark', text)
    )))
    response.replaceChildren()
  }

  async function send () {
    const { path, ...init } = filled(line)
    const answer = await fetch(path, init)
    const notice = readVersionNotice(answer, null, { method: init.method ?? 'GET', version: version.value })
    response.replaceChildren(
      statusOf(answer),
      ...HEADERS.filter((name) => answer.headers.has(name)).flatMap((name) => headerOf(answer, name)),
      `\n${JSON.stringify(await answer.json(), null, 2)}`,
      ...notice?.isDeprecated ? [element('em', `\n\nThe client reports: ${notice.message}`)] : []
    )
  }

  describe()
  if (line.headers?.Host === undefined) button.addEventListener('click', send)
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
function filled (line) {
  const { path, headers = {}, body } = JSON.parse(JSON.stringify(line).replaceAll('{version}', version.value))
  return body === undefined ? { path, headers } : { path, headers, method: 'POST', body: JSON.stringify(body) }
}

/** The request as curl sends it, where a browser cannot; otherwise as it is in HTTP. */
function textOf ({ path, headers, method = 'GET', body }) {
  if (headers.Host !== undefined) return `curl -i -H 'Host: ${headers.Host}' ${window.location.origin}${path}`
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path}`, ...fields, ...body === undefined ? [] : ['', body]].join('\n')
}

function element (name, text = '') {
  return Object.assign(document.createElement(name), { textContent: text })
}
