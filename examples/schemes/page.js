import { readVersionNotice } from 'fastify-versioning/client'

const version = document.querySelector('#version')
const rows = (await (await fetch('/questions')).json()).map(rowOf)

version.addEventListener('change', () => rows.forEach(({ describe }) => describe()))
document.querySelector('#all').addEventListener('click', () => Promise.all(rows.map(({ send }) => send())))

/** A line of the table: a request, a button that sends it, and the answer. */
function rowOf (question) {
  const line = document.querySelector('#schemes').insertRow()
  const request = element('pre')
  const answer = element('pre')
  const button = element('button', 'Send')
  for (const content of [question.scheme, request, button, answer]) line.insertCell().append(content)

  function describe () {
    request.textContent = textOf(filled(question))
    answer.textContent = ''
  }

  async function send () {
    const { path, ...init } = filled(question)
    const response = await fetch(path, init)
    const notice = readVersionNotice(response, null, { method: init.method ?? 'GET', version: version.value })
    const ending = notice?.isDeprecated ? `\n\n${notice.message}` : ''
    answer.textContent = `${response.status} ${JSON.stringify(await response.json(), null, 2)}${ending}`
    answer.className = response.ok ? '' : 'refused'
  }

  describe()
  if (question.headers?.host === undefined) button.addEventListener('click', send)
  else button.replaceWith('The browser chooses the host: use curl.')
  return { describe, send: button.isConnected ? send : () => {} }
}

/** The request in the version that is chosen, as `fetch` takes it. */
function filled (question) {
  const { path, headers = {}, body } = JSON.parse(JSON.stringify(question).replaceAll('{version}', version.value))
  return body === undefined ? { path, headers } : { path, headers, method: 'POST', body: JSON.stringify(body) }
}

/** The request as curl sends it, where a browser cannot; otherwise as it is in HTTP. */
function textOf ({ path, headers, method = 'GET', body }) {
  if (headers.host !== undefined) return `curl -H 'Host: ${headers.host}' ${window.location.origin}${path}`
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path}`, ...lines, ...body === undefined ? [] : ['', body]].join('\n')
}

function element (name, text = '') {
  return Object.assign(document.createElement(name), { textContent: text })
}
