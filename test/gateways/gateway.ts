import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { freePort, isListening } from '../fixtures/ports.ts'

import type { FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export type GatewayName = 'nginx' | 'Varnish'
/** Changes the configuration of the page. */
export type Change = (config: string) => string

interface Program {
  readonly command: string
  /** The configuration, as the page has it, and where it is written. */
  readonly fence: string
  readonly configure: (config: string, folder: string, port: number, upstream: number) => string
  readonly args: (folder: string, file: string, port: number) => string[]
}

const PAGE = readFileSync(new URL('../../docs/gateways.md', import.meta.url), 'utf8')
const PATIENCE_MS = 20_000
/** Debian's packages are where only root looks for programs. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

const programs: Record<GatewayName, Program> = {
  nginx: {
    command: 'nginx',
    fence: 'nginx',
    configure: (config, folder, port, upstream) => [
      'daemon off;',
      ...process.getuid?.() === 0 ? ['user root;'] : [],
      'worker_processes 1;',
      `pid ${folder}/pid;`,
      'error_log stderr crit;',
      'events { worker_connections 128; }',
      'http {',
      'access_log off;',
      'add_header X-Cache $upstream_cache_status always;',
      ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`),
      config.replace('/var/cache/nginx', `${folder}/cache`)
        .replace('http://127.0.0.1:3000', `http://127.0.0.1:${upstream}`)
        .replace('server {', `server {\nlisten 127.0.0.1:${port};`),
      '}'
    ].join('\n'),
    args: (folder, file) => ['-p', folder, '-c', file, '-e', 'stderr']
  },
  Varnish: {
    command: 'varnishd',
    fence: 'vcl',
    configure: (config, _folder, _port, upstream) => config.replace('.port = "3000"', `.port = "${upstream}"`),
    args: (folder, file, port) => [
      '-F', '-j', 'none', '-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-f', file, '-s', 'malloc,16m'
    ]
  }
}

/** Why there are no tests with a gateway, or false: Debian's packages are `nginx-light` and `varnish`. */
export function missing (name: GatewayName): string | false {
  const { command } = programs[name]
  const isThere = spawnSync(command, ['-V'], { env }).error === undefined
  return isThere ? false : `${command} is not installed`
}

/** A server that answers with the app of the moment: an app can be replaced by its next release. */
export async function originOf (t: Test) {
  let current: FastifyInstance
  const server = http.createServer((request, response) => current.routing(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.close().closeAllConnections() })
  const { port } = server.address() as AddressInfo
  return {
    port,
    release: async (app: FastifyInstance) => {
      await app.ready()
      current = app
    }
  }
}

/** A gateway in front of a port, with its configuration from docs/gateways.md. It ends with the test. */
export async function gatewayOf (t: Test, name: GatewayName, upstream: number, change: Change = (config) => config) {
  const { command, fence, configure, args } = programs[name]
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const port = await freePort()
  const [, config] = new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\``, 'm').exec(PAGE) as unknown as [string, string]
  const file = join(folder, 'config')
  writeFileSync(file, configure(change(config), folder, port, upstream))
  const child = spawn(command, args(folder, file, port), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { output += text })
  t.teardown(async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  const deadline = Date.now() + PATIENCE_MS
  while (!await isListening(port)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} does not start: ${output}`)
    await setTimeout(50)
  }
  return { ask: (path: string, headers: Record<string, string> = {}) => ask(port, path, headers) }
}

/** The answer to a request. Its host is one that the gateway passes on. */
async function ask (port: number, path: string, headers: Record<string, string>) {
  const request = http.get({ host: '127.0.0.1', port, path, headers: { host: 'api.example.com', ...headers } })
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return { status: response.statusCode, headers: response.headers, body }
}
