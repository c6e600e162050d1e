import t from 'tap'

import { declareIn, pairs, requestOf, unnamedLink } from '../fixtures/places.ts'
import { sharedContract } from './contract.ts'

for (const { name, first, second } of pairs) {
  const list = [first, second]

  for (const place of list) {
    t.test(`${name}, where the version is in the ${place.text}`, async (t) => {
      sharedContract(t, {
        Scheme: place.Scheme,
        list: list.map(({ Scheme }) => Scheme),
        routes: (app, probe) => declareIn(app, list, { ...probe, url: '/probe' }),
        naming: (version) => requestOf('/probe', place.naming(version)),
        unnamed: requestOf('/probe'),
        lookalikes: [place.lookalike],
        refusal: place.refusal,
        unnamedRefusal: first.refusal,
        isDefaultChecked: true,
        link: (version) => version === null ? '/probe' : place.link(version),
        unnamedLink: (version) => unnamedLink(list, version)
      })
    })
  }
}
