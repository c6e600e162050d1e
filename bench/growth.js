/**
 * What named routes cost as they grow in number: start-up beside the same routes without the plugin, and the time of a
 * link. Each start-up is measured in a process of its own, in turns.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SIZES = [10, 100, 1_000, 10_000]
const TURNS = Number(process.env.TURNS ?? 7)
const self = fileURLToPath(import.meta.url)

if (process.argv[2] === undefined) compare()
else console.log(JSON.stringify(await measure(Number(process.argv[2]), process.argv[3] === 'with')))

function compare () {
  for (const size of SIZES) {
    const ratios = []
    const links = []
    for (let turn = 0; turn < TURNS; turn++) {
      const order = turn % 2 === 0 ? ['with', 'without'] : ['without', 'with']
      const found = Object.fromEntries(order.map((mode) => [mode, start(size, mode)]))
      ratios.push(found.with.boot / found.without.boot)
      links.push(found.with.link)
    }
    console.log(
      `${String(size).padStart(6)} routes: start-up ${median(ratios).toFixed(2)} × without the plugin, ` +
      `link ${median(links).toFixed(0)} ns`
    )
  }
}

function start (size, mode) {
  return JSON.parse(execFileSync(process.execPath, [self, String(size), mode]).toString())
}

/** Milliseconds of the start-up, from the first route to ready, and nanoseconds of a link. */
async function measure (size, isWith) {
  const { default: Fastify } = await import('fastify')
  const { default: versioning, URLPathVersioning } = await import('../dist/index.js')
  const app = Fastify()
  if (isWith) await app.register(versioning, { scheme: URLPathVersioning })
  const begin = process.hrtime.bigint()
  for (let i = 0; i < size; i++) {
    app.get(`/:version/things-${i}/:id`, { name: `thing-${i}` }, async () => '')
  }
  await app.ready()
  const boot = Number(process.hrtime.bigint() - begin) / 1e6
  return { boot, link: isWith ? timeLinks(app, size) : null }
}

function timeLinks (app, size) {
  const count = Math.min(size, 100)
  const names = Array.from({ length: count }, (_, i) => `thing-${Math.floor(i * size / count)}`)
  const rounds = 2_000
  let begin = 0n
  for (const isWarm of [false, true]) {
    if (isWarm) begin = process.hrtime.bigint()
    for (let round = 0; round < rounds; round++) {
      for (const name of names) app.reverse(name, { version: 'v1', id: '7' })
    }
  }
  return Number(process.hrtime.bigint() - begin) / (rounds * names.length)
}

function median (values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
