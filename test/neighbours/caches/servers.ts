import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A cache that is its own program. */
export interface CacheServer {
  readonly name: string
  /** The option that prints the version, which tells whether it is installed. */
  readonly binary: string
  readonly versionOption: string
  /** Starts it in front of a port, and returns its own. */
  readonly start: (t: Test, originPort: number) => Promise<number>
}

const nginx: CacheServer = {
  name: 'nginx',
  binary: 'nginx',
  versionOption: '-v',
  async start (t, originPort) {
    const directory = await scratch(t)
    const port = await freePort()
    const file = join(directory, 'nginx.conf')
    await mkdir(join(directory, 'temp'))
    await writeFile(file, `
      daemon off; master_process off; worker_processes 1; pid ${directory}/pid; error_log stderr warn;
      events { worker_connections 256; }
      http {
        access_log off;
        client_body_temp_path ${directory}/temp/a; proxy_temp_path ${directory}/temp/b;
        fastcgi_temp_path ${directory}/temp/c; uwsgi_temp_path ${directory}/temp/d; scgi_temp_path ${directory}/temp/e;
        proxy_cache_path ${directory}/cache keys_zone=cache:16m;
        upstream origin { server 127.0.0.1:${originPort}; keepalive 16; }
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://origin; proxy_http_version 1.1;
            proxy_set_header Connection ''; proxy_set_header Host $http_host;
            proxy_cache cache; proxy_cache_key $scheme$http_host$request_uri;
          }
        }
      }
    `)
    await run(t, 'nginx', ['-p', directory, '-e', 'stderr', '-c', file], port)
    return port
  }
}

const varnish: CacheServer = {
  name: 'Varnish',
  binary: 'varnishd',
  versionOption: '-V',
  async start (t, originPort) {
    const directory = await scratch(t)
    const port = await freePort()
    const file = join(directory, 'default.vcl')
    await writeFile(file, `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${originPort}"; }\n`)
    await run(t, 'varnishd', [
      '-F', '-j', 'none', '-n', join(directory, 'work'), '-a', `127.0.0.1:${port}`, '-T', 'none', '-f', file,
      '-s', 'malloc,64m'
    ], port)
    return port
  }
}

export const servers = [nginx, varnish]

export function isInstalled ({ binary, versionOption }: CacheServer): boolean {
  return spawnSync(binary, [versionOption]).status === 0
}

async function scratch (t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-versioning-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** Starts a program, and waits until it listens. It ends with the test. */
async function run (t: Test, binary: string, args: string[], port: number): Promise<void> {
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const end = () => child.kill()
  process.once('exit', end)
  t.teardown(async () => {
    end()
    await ended
    process.off('exit', end)
  })
  let text = ''
  child.stderr.on('data', (chunk) => { text += String(chunk) })
  while (!await accepts(port)) {
    if (child.exitCode !== null) throw new Error(`${binary} ended: ${text}`)
    await new Promise((resolve) => { setTimeout(resolve, 20) })
  }
}

async function accepts (port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => { socket.end(); resolve(true) })
    socket.on('error', () => resolve(false))
  })
}

async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
