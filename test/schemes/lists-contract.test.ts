import t from 'tap'

import { declareIn, places, requestOf, unnamedLink } from '../fixtures/places.ts'
import { probeApps, sharedContract } from './contract.ts'

import type { FastifyInstance } from 'fastify'
import type { Probe } from './contract.ts'

const names = Object.keys(places) as (keyof typeof places)[]
/** Each place is once the first and once the last of a pair. */
const pairs = names.map((name, i) => [name, names[(i + 1) % names.length]])

for (const list of [...pairs, ['header', 'path', 'query'] as const]) {
  t.test(`the list [${list.join(', ')}] fulfills the contract of every scheme`, async (t) => {
    const all = list.map((name) => places[name])
    const schemes = all.map(({ Scheme }) => Scheme)
    const routes = (app: FastifyInstance, probe: Probe) => declareIn(app, all, { ...probe, url: '/probe' })
    const apps = probeApps(t, schemes, routes)

    for (const place of all) {
      t.test(`the list fulfills it with the version in the ${place.text}`, async (t) => {
        sharedContract(t, {
          Scheme: place.Scheme,
          list: schemes,
          routes,
          naming: (version) => requestOf('/probe', place.naming(version)),
          unnamed: requestOf('/probe'),
          lookalikes: [place.lookalike],
          refusal: place.refusal,
          unnamedRefusal: all[0].refusal,
          isDefaultChecked: true,
          link: (version) => version === null ? '/probe' : place.link(version),
          unnamedLink: (version) => unnamedLink(all, version)
        }, apps)
      })
    }
  })
}
