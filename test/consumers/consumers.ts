// What other tools find wrong in our documents, beside what they find in those of @fastify/swagger.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { BODIES } from './subjects.ts'

import type { Test } from 'tap'
import type { Place, Subject } from './subjects.ts'

/** What a consumer finds wrong. A finding names the operation by its method, and neither the version nor the URL. */
export type Find = (subject: Subject) => Promise<string[]>
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly query: Record<string, string>
  readonly body?: object
  readonly status: number
}

const METHODS = ['GET', 'POST', 'DELETE']
const SPECIFY: Record<Place, (version: string) => { headers?: Call['headers'], query?: Call['query'] }> = {
  header: (version) => ({ headers: { 'api-version': version } }),
  accept: (version) => ({ headers: { accept: `application/json; version=${version}` } }),
  query: (version) => ({ query: { version } }),
  path: () => ({})
}

/** A folder with packages of npm, which is removed after the tests. */
export async function install (t: Test, packages: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-versioning-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await promisify(execFile)('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], { cwd: folder })
  return folder
}

/** Compares what a consumer finds in each document. `accepted` is what a place costs, exactly. */
export async function compare (
  t: Test, subjects: readonly Subject[], find: Find, accepted: Partial<Record<Place, string[]>> = {}
): Promise<void> {
  const found = new Map<Subject, string[]>()
  for (const subject of subjects) found.set(subject, (await find(subject)).sort())
  for (const [{ place, version }, findings] of found) {
    if (place === null) continue
    const plain = [...found].find(([subject]) => subject.place === null && subject.version === version)?.[1] ?? []
    const more = findings.filter((finding) => !plain.includes(finding))
    t.same(more, accepted[place] ?? [], `${version} in the ${place}`)
  }
}

/** The right requests to an app, in the order of the routes. */
export function callsOf ({ version, place, path }: Subject): Call[] {
  const { headers = {}, query = {} } = place === null ? {} : SPECIFY[place](version)
  const body = BODIES[version]
  const sent = { 'content-type': 'application/json', ...headers }
  return [
    { method: 'GET', path: `${path}/7`, headers, query, status: 200 },
    { method: 'POST', path, headers: sent, query, body, status: 201 },
    { method: 'DELETE', path: `${path}/7`, headers, query, status: 204 }
  ]
}

export function send ({ method, path, headers, query, body }: Call, url: string): Promise<Response> {
  const init = { method, headers, ...body && { body: JSON.stringify(body) } }
  return fetch(`${url}${path}?${new URLSearchParams(query)}`, init)
}

/** Which calls of a client did not reach their version: `GET: 400`. */
export function unreached ({ version, answers }: Subject): string[] {
  const answered = answers()
  return METHODS
    .filter((method) => !answered.includes(`${method} ${version}`))
    .map((method) => answered.find((answer) => answer.startsWith(method))?.replace(' ', ': ') ?? `${method}: no call`)
}

/** Runs a command of a package. A status other than 0 is what some of them say, and no error. */
export async function run (folder: string, name: string, command: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, [await binOf(folder, name, command), ...args], { cwd: folder })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { output += text })
  await once(child, 'close')
  return output
}

/** Starts a server of a package, which ends with `stop`. `ready` finds its URL in what it prints. */
export async function serve (folder: string, name: string, command: string, args: string[], ready: RegExp) {
  const child = spawn(process.execPath, [await binOf(folder, name, command), ...args], { cwd: folder })
  const ended = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const match = ready.exec(output)
        if (match) resolve(match[1] as string)
      })
    }
    child.on('close', () => reject(new Error(`${command} ended: ${output}`)))
  })
  return {
    url,
    stop: async () => {
      child.kill()
      await ended
    }
  }
}

async function binOf (folder: string, name: string, command: string): Promise<string> {
  const file = join(folder, 'node_modules', name, 'package.json')
  const { bin } = JSON.parse(await readFile(file, 'utf8')) as { bin: Record<string, string> }
  return join(dirname(file), bin[command] as string)
}

/** A package of the folder. */
export function load<T> (folder: string, name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T
}
