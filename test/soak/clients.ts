// In its own process, so that only the server is measured. It sends requests to `ports` until a message stops it.
import http from 'node:http'
import http2 from 'node:http2'
import { connect } from 'node:net'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'

import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

export interface Ports { readonly http1: number, readonly http2: number }

/** What the server's process gets when everything has stopped. */
export interface Report { asked: number, answered: number, wrong: string[] }

interface Asked { method: string, path: string, headers: Record<string, string>, version: string | null, body?: string }

const VERSIONS = ['v1', 'v2', 'v3', 'v9']
const report: Report = { asked: 0, answered: 0, wrong: [] }
const state = { isStopped: false }

process.on('message', async (message: Ports | 'stop') => {
  if (message === 'stop') state.isStopped = true
  else await start(message)
})

async function start (ports: Ports): Promise<void> {
  Object.assign(report, { asked: 0, answered: 0, wrong: [] })
  state.isStopped = false
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const session = { current: undefined as ClientHttp2Session | undefined }
  await Promise.all([
    ...Array.from({ length: 8 }, () => loop(() => overHttp1(ports.http1, agent))),
    ...Array.from({ length: 8 }, () => loop(() => overHttp2(ports.http2, session))),
    ...Array.from({ length: 2 }, () => loop(() => aborted(ports.http1))),
    loop(() => abortedStream(ports.http2, session)),
    ...Array.from({ length: 4 }, () => loop(() => unread(ports.http1)))
  ])
  agent.destroy()
  session.current?.destroy()
  process.send?.(report)
}

async function loop (once: () => Promise<void>): Promise<void> {
  while (!state.isStopped) {
    try {
      await once()
    } catch {
      // The server is being deployed.
      await wait(20)
    }
  }
}

async function overHttp1 (port: number, agent: http.Agent): Promise<void> {
  const asked = draw()
  report.asked++
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const { method, path, headers, body } = asked
    http.request({ port, host: '127.0.0.1', agent, method, path, headers }, resolve).on('error', reject).end(body)
  })
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  judge(asked, response.statusCode, text)
}

async function overHttp2 (port: number, session: { current: ClientHttp2Session | undefined }): Promise<void> {
  const asked = draw()
  report.asked++
  const { host = 'api.local', ...headers } = asked.headers
  const stream = sessionOf(port, session).request({
    ':method': asked.method, ':path': asked.path, ':authority': host, ...headers
  })
  let status: number | undefined
  stream.on('response', (headers) => { status = headers[':status'] })
  stream.end(asked.body)
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) text += chunk
  if (status === undefined) throw new Error('The session has ended.')
  if (status === 503) session.current?.destroy()
  judge(asked, status, text)
}

function sessionOf (port: number, session: { current: ClientHttp2Session | undefined }): ClientHttp2Session {
  if (session.current === undefined || session.current.destroyed || session.current.closed) {
    session.current = http2.connect(`http://127.0.0.1:${port}`)
    session.current.on('error', () => {})
  }
  return session.current
}

/** A socket that ends within the request, or before the answer. */
async function aborted (port: number): Promise<void> {
  const { method, path, headers } = draw()
  const lines = Object.entries({ host: 'api.local', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}content-length: 100\r\n\r\n{`
  const socket = await opened(port)
  socket.write(text.slice(0, Math.ceil(Math.random() * text.length * 2)))
  await wait(Math.random() * 20)
  socket.resetAndDestroy()
}

async function abortedStream (port: number, session: { current: ClientHttp2Session | undefined }): Promise<void> {
  const { path } = draw('slow')
  const stream = sessionOf(port, session).request({ ':path': path })
  stream.on('error', () => {})
  await wait(Math.random() * 20)
  stream.close(http2.constants.NGHTTP2_CANCEL)
  if (Math.random() < 0.05) session.current?.destroy()
}

/** Asks for many answers and reads none. */
async function unread (port: number): Promise<void> {
  const socket = await opened(port)
  socket.pause()
  for (let index = 0; index < 3; index++) socket.write('GET /large HTTP/1.1\r\nHost: api.local\r\n\r\n')
  for (let index = 0; index < 20 && !state.isStopped && !socket.destroyed; index++) await wait(100)
  socket.destroy()
}

function opened (port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** A request in some version under some scheme, in part with text that was never sent before. */
function draw (route?: string): Asked {
  const drawn = one(VERSIONS)
  const never = Math.random().toString(36).slice(2)
  const path = route ?? one([`bookings/${never}`, 'slow', 'hijacked', 'rates', `none/${never}`])
  const [context, ask] = one(Object.entries(NAMING))
  const version = path === 'hijacked' ? null : drawn
  const body = context === 'content' && path.startsWith('bookings') ? '{}' : undefined
  const base = { method: body === undefined ? 'GET' : 'POST', path: `/${context}/${path}`, headers: {} }
  return { ...base, ...ask(drawn, path, never), version, ...body !== undefined && { body } }
}

const NAMING: Record<string, (version: string, path: string, never: string) => Partial<Asked>> = {
  accept: (version, _path, never) => ({
    headers: { accept: `text/${never};q=0.1, application/json;version=${version}` }
  }),
  content: (version, _path, never) => ({
    headers: { 'content-type': `application/json;version=${version};a=${never}` }
  }),
  header: (version) => ({ headers: { 'api-version': version } }),
  host: (version) => ({ headers: { host: `${version}.example.com` } }),
  namespace: (version, path) => ({ path: `/namespace/${version}/${path}` }),
  path: (version, path) => ({ path: `/path/${version}/${path}` }),
  query: (version, path, never) => ({ path: `/query/${path}?a=${never}&version=${version}` }),
  several: (version) => ({ headers: { 'api-version': version } })
}

function one<T> (list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T
}

/** Nobody gets a 5xx, or the answer of another version. */
function judge ({ path, version }: Asked, status: number | undefined, text: string): void {
  // What Fastify answers while it closes.
  if (status === 503) throw new Error('The server is being closed.')
  report.answered++
  const isWrong = status === undefined || status >= 500 ||
    (status === 200 && version !== null && !text.includes('"any"') && !text.startsWith(`{"version":"${version}"`))
  if (isWrong && report.wrong.length < 10) report.wrong.push(`${path} in ${version}: ${status} ${text.slice(0, 200)}`)
}
