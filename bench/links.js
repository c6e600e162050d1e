/**
 * What a link costs: `reply.reverse` of a route with two parameters, version included, beside path-to-regexp's compiled
 * function alone for the same path. Contestants take turns in short rounds of one run; medians are compared.
 */
import Fastify from 'fastify'
import { compile } from 'path-to-regexp'
import assert from 'node:assert/strict'

import versioning, { NamespaceVersioning, QueryParameterVersioning, URLPathVersioning } from '../dist/index.js'

const ROUNDS = Number(process.env.ROUNDS ?? 200)
const CALLS = Number(process.env.CALLS ?? 20_000)

const [path, namespace, query] = await Promise.all([
  replyUnder(URLPathVersioning, '/:version/rooms/:room', {}, '/v1/rooms/7'),
  replyUnder(NamespaceVersioning, '/v1/rooms/:room/:seat', { namespace: 'v1' }, '/v1/rooms/7/8'),
  replyUnder(QueryParameterVersioning, '/rooms/:room/:seat', {}, '/rooms/7/8?version=v1')
])

const toPath = compile('/:version/rooms/:room')
const toPair = compile('/v1/rooms/:room/:seat')
const toRoom = compile('/rooms/:room/:seat')

/** Pairs: ours, path-to-regexp's for the same path, and how many times its time ours may take. */
const pairs = [
  {
    name: 'URLPathVersioning',
    limit: 1,
    ours: (i) => path.reply.reverse('room', { room: String(i) }),
    theirs: (i) => toPath({ version: 'v1', room: String(i) })
  },
  {
    name: '… into another version',
    limit: null,
    ours: (i) => path.reply.reverse('room', { room: String(i) }, { version: 'v2' }),
    theirs: (i) => toPath({ version: 'v2', room: String(i) })
  },
  {
    name: '… of the current route',
    limit: null,
    ours: (i) => path.reply.reverse(null, { room: String(i) }),
    theirs: (i) => toPath({ version: 'v1', room: String(i) })
  },
  {
    name: 'NamespaceVersioning',
    limit: 1,
    ours: (i) => namespace.reply.reverse('room', { room: String(i), seat: 'b2' }),
    theirs: (i) => toPair({ room: String(i), seat: 'b2' })
  },
  {
    name: 'QueryParameterVersioning',
    limit: 2,
    ours: (i) => query.reply.reverse('room', { room: String(i), seat: 'b2' }),
    theirs: (i) => toRoom({ room: String(i), seat: 'b2' })
  }
]

for (const { name, ours, theirs, limit } of pairs) {
  assert.equal(ours(7).replace('?version=v1', ''), theirs(7))
  time(ours)
  time(theirs)
  const ratios = []
  const nanoseconds = []
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = round % 2 === 0 ? [time(ours), time(theirs)] : [time(theirs), time(ours)].reverse()
    ratios.push(a / b)
    nanoseconds.push(a)
  }
  console.log(
    `${name.padEnd(25)} ${median(nanoseconds).toFixed(0).padStart(5)} ns, ` +
    `${median(ratios).toFixed(2)} × path-to-regexp${limit === null ? '' : ` (at most ${limit})`}`
  )
}

/** Nanoseconds per call. */
function time (call) {
  let length = 0
  const start = process.hrtime.bigint()
  for (let i = 0; i < CALLS; i++) length += call(i % 1000).length
  const end = process.hrtime.bigint()
  assert.ok(length > 0)
  return Number(end - start) / CALLS
}

function median (values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/** The reply of a request in version v1 to an app under a scheme. */
async function replyUnder (scheme, path, options, url) {
  const app = Fastify()
  await app.register(versioning, { scheme, allowedVersions: ['v1', 'v2'] })
  const seen = []
  app.register(async (scope) => {
    scope.get(path, { name: 'room' }, async (_request, reply) => {
      seen.push(reply)
      return ''
    })
  }, options)
  await app.inject(url)
  // Wrapped, for a reply is thenable.
  return { reply: seen[0] }
}
