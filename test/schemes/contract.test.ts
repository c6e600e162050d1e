import t from 'tap'

import { BaseVersioning } from '../../src/index.ts'
import { declareIn, places, requestOf, unnamedLink } from '../fixtures/places.ts'
import { probeApps, schemeContract, sharedContract } from './contract.ts'

import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { RawRequest } from '../../types/index.d.ts'

const LIKE_V1 = ['V1', 'v10', 'v']

/** Versions that are not `v1`, and differ from it as little as each place can carry. */
const lookalikes: Record<keyof typeof places, readonly string[]> = {
  accept: [...LIKE_V1, 'v1.0', ' v1', ''],
  path: [...LIKE_V1, 'v1.0', ' v1', 'v%31', ''],
  namespace: [...LIKE_V1, 'v1.0', ' v1'],
  host: [...LIKE_V1, '1'],
  query: [...LIKE_V1, 'v1.0', ' v1', ''],
  header: [...LIKE_V1, 'v1.0', 'v 1', '"v1"', 'v1;v=1', '__proto__', 'constructor'],
  contentType: [...LIKE_V1, 'v1.0', ' v1', '']
}

const names = Object.keys(places) as (keyof typeof places)[]

for (const name of names) {
  const place = places[name]
  t.test(`${place.Scheme.name} fulfills the contract of every scheme`, async (t) => {
    schemeContract(t, {
      Scheme: place.Scheme,
      routes (app, probe) {
        declareIn(app, [place], probe)
        for (const namespace of name === 'namespace' ? lookalikes.namespace : []) {
          if (namespace === place.lookalike) continue
          app.register(async (child) => { child.route({ ...probe }) }, { prefix: `/in-${namespace}`, namespace })
        }
      },
      naming: (version) => requestOf('/probe', place.naming(version)),
      unnamed: requestOf('/probe'),
      lookalikes: lookalikes[name],
      refusal: place.refusal,
      isDefaultChecked: place.isDefaultChecked,
      link: (version) => version === null ? '/probe' : place.link(version)
    })
  })
}

/** A scheme as a user writes one. */
class ApiVersionHeader extends BaseVersioning {
  override readonly vary = 'X-API-Version'
  override readVersion ({ headers }: RawRequest | FastifyRequest) { return headers['x-api-version'] }
}

/** A scheme that does the same without saying what it reads. */
class Determining extends BaseVersioning {
  override determineVersion (request: FastifyRequest) {
    return this.permit(request.headers['x-api-version'] as string | undefined, request)
  }
}

for (const Scheme of [ApiVersionHeader, Determining]) {
  t.test(`${Scheme.name} of an app fulfills the contract of every scheme`, async (t) => {
    schemeContract(t, {
      Scheme,
      routes: (app, probe) => app.route({ ...probe }),
      naming: (version) => ({ url: '/probe', headers: { 'x-api-version': version } }),
      unnamed: { url: '/probe' },
      lookalikes: [...LIKE_V1, 'v1.0', ''],
      refusal: { ...places.query.refusal, message: 'Invalid version.' },
      isDefaultChecked: true,
      link: () => '/probe'
    })
  })
}

/** Each place is once the first and once the last of a pair. */
const pairs = names.map((name, i) => [name, names[(i + 1) % names.length]])

for (const list of [...pairs, ['header', 'path', 'query'] as const]) {
  t.test(`the list [${list.join(', ')}] fulfills the contract of every scheme`, async (t) => {
    const all = list.map((name) => places[name])
    const shared = {
      list: all.map(({ Scheme }) => Scheme),
      routes: (app: FastifyInstance, probe: RouteOptions) => declareIn(app, all, probe)
    }
    const apps = probeApps(t, shared)
    for (const place of all) {
      t.test(`the list fulfills it with the version in the ${place.text}`, async (t) => {
        sharedContract(t, {
          ...shared,
          Scheme: place.Scheme,
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
