import t from 'tap'

import { declareIn, pairs, requestOf, unnamedLink } from '../fixtures/places.ts'
import { probeApps, sharedContract } from './contract.ts'

import type { FastifyInstance } from 'fastify'
import type { Probe } from './contract.ts'

for (const { name, first, second } of pairs) {
  t.test(`the list ${name} fulfills the contract of every scheme`, async (t) => {
    const list = [first, second]
    const schemes = list.map(({ Scheme }) => Scheme)
    const routes = (app: FastifyInstance, probe: Probe) => declareIn(app, list, { ...probe, url: '/probe' })
    const apps = probeApps(t, schemes, routes)

    for (const place of list) {
      t.test(`the list fulfills it with the version in the ${place.text}`, async (t) => {
        sharedContract(t, {
          Scheme: place.Scheme,
          list: schemes,
          routes,
          naming: (version) => requestOf('/probe', place.naming(version)),
          unnamed: requestOf('/probe'),
          lookalikes: [place.lookalike],
          refusal: place.refusal,
          unnamedRefusal: first.refusal,
          isDefaultChecked: true,
          link: (version) => version === null ? '/probe' : place.link(version),
          unnamedLink: (version) => unnamedLink(list, version)
        }, apps)
      })
    }
  })
}
