#!/usr/bin/env bash
# nginx 1.22.1 with varnish 7.1.1, of Debian: if v1 of a URL has `Vary: Accept-Language, API-Version`, and v2 has the
# same names in another order, nginx holds the version that was fetched last, and forgets the other one. With clients of
# both versions in turn each request is a miss, although each response is fresh for an hour. Two lines `Vary` in place
# of one do the same, and so does a name that only v2 has. Other spaces and another case do no harm. Varnish asks the
# server once for each version in all of these cases.
# Guessed: `Vary` is a set of names, and each stored response is found by its own.
set -euo pipefail
for program in nginx varnishd; do
  command -v "$program" > /dev/null || { echo "$program is not installed: nothing was run"; exit 0; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > run.mjs <<'JS'
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'

const folder = process.cwd()
const ordered = 'Accept-Language, API-Version'
/** What v1 and v2 of a URL have as their Vary. */
const varies = {
  '/same': [ordered, ordered],
  '/spaces-and-case': [ordered, 'accept-language,API-version'],
  '/order': [ordered, 'API-Version, Accept-Language'],
  '/lines': [ordered, ['Accept-Language', 'API-Version']],
  '/one-more': ['API-Version', ordered]
}
let asked = []
const server = createServer((request, response) => {
  const version = request.headers['api-version'] ?? 'none'
  asked.push(version)
  response.setHeader('vary', varies[request.url]?.[version === 'v2' ? 1 : 0] ?? ordered)
  response.writeHead(200, { 'cache-control': 'max-age=3600' }).end(version)
})

async function portOf (listener) {
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return listener.address().port
}

async function freePort () {
  const listener = createServer()
  const port = await portOf(listener)
  listener.close()
  return port
}

const upstream = await portOf(server)
const ports = { nginx: await freePort(), varnish: await freePort() }
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
writeFileSync('nginx.conf', `
  ${process.getuid() === 0 ? 'user root;' : ''}
  daemon off;
  pid ${folder}/nginx.pid;
  events {}
  http {
    access_log off;
    ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
    proxy_cache_path ${folder}/cache keys_zone=responses:1m;
    server {
      listen 127.0.0.1:${ports.nginx};
      location / {
        proxy_pass http://127.0.0.1:${upstream};
        proxy_cache responses;
      }
    }
  }`)
writeFileSync('varnish.vcl', `vcl 4.1; backend default { .host = "127.0.0.1"; .port = "${upstream}"; }`)
const commands = [
  ['nginx', '-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`],
  ['varnishd', '-F', '-j', 'none', '-n', `${folder}/varnish`, '-a', `127.0.0.1:${ports.varnish}`, '-f',
    `${folder}/varnish.vcl`, '-s', 'malloc,16m']
]
const children = commands.map(([command, ...args]) => spawn(command, args, { stdio: 'ignore' }))

/** Which versions the server is asked for, if clients ask for both in turn. */
async function askedThrough (port, path) {
  const get = async (version) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'api-version': version, 'accept-language': 'en' }
    })
    return response.text()
  }
  asked = []
  for (const version of ['v1', 'v2', 'v1', 'v2', 'v1', 'v2']) assert.equal(await get(version), version)
  return asked.join()
}

const seen = { nginx: {}, varnish: {} }
try {
  for (const [name, port] of Object.entries(ports)) {
    const isReady = () => fetch(`http://127.0.0.1:${port}/ready`).then(({ ok }) => ok, () => false)
    for (let attempt = 0; attempt < 100 && !await isReady(); attempt += 1) await setTimeout(100)
    for (const path of Object.keys(varies)) seen[name][path] = await askedThrough(port, path)
  }
} finally {
  await Promise.all(children.map((child) => child.kill() && once(child, 'exit')))
}
const versions = ['nginx', 'varnishd'].map((command) => String(spawnSync(command, ['-V']).stderr).split('\n')[0])
console.log(versions.join(', '), 'the server was asked for:', seen)
const oneEach = 'v1,v2'
const eachTime = 'v1,v2,v1,v2,v1,v2'
assert.deepEqual(seen, {
  nginx: {
    '/same': oneEach, '/spaces-and-case': oneEach, '/order': eachTime, '/lines': eachTime, '/one-more': eachTime
  },
  varnish: { '/same': oneEach, '/spaces-and-case': oneEach, '/order': oneEach, '/lines': oneEach, '/one-more': oneEach }
})
process.exit()
JS
node run.mjs
