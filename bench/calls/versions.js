import assert from 'node:assert/strict'

import {
  AcceptHeaderVersioning, HeaderVersioning, HostNameVersioning, NamespaceVersioning, QueryParameterVersioning,
  URLPathVersioning
} from '../../dist/index.js'
import { median } from '../statistics.js'
import { exchangeUnder } from './exchange.js'
import { timeInTurns } from './timing.js'

const SHORT = 'application/json;version=v1'
const LONG = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,' +
  'application/signed-exchange;v=b3;q=0.7,application/json;version=v1'

/** Nanoseconds of `determineVersion`: rows of name and time. */
export async function timeVersions (sizes) {
  const contestants = [
    await onExchange(URLPathVersioning, '/:version/rooms/:room', { url: '/v1/rooms/7' }),
    await onExchange(NamespaceVersioning, '/v1/rooms/:room', { url: '/v1/rooms/7' }, { namespace: 'v1' }),
    await onExchange(HostNameVersioning, '/rooms/:room', { url: '/rooms/7', headers: { host: 'v1.example.com' } }),
    await onExchange(QueryParameterVersioning, '/rooms/:room', { url: '/rooms/7?version=v1' }),
    await onExchange(HeaderVersioning, '/rooms/:room', { url: '/rooms/7', headers: { 'api-version': 'v1' } }),
    await onExchange([HeaderVersioning, QueryParameterVersioning], '/rooms/:room', {
      url: '/rooms/7?version=v1', headers: { 'api-version': 'v1' }
    }),
    onHeaders('AcceptHeaderVersioning, short header', () => SHORT),
    onHeaders('… as long as a browser\'s', () => LONG),
    onHeaders('… short, never seen before', (n) => `${SHORT};n=${n}`),
    onHeaders('… long, never seen before', (n) => `${LONG};n=${n}`)
  ]
  const times = timeInTurns(contestants, sizes)
  return contestants.map(({ name }, i) => [name, median(times[i])])
}

/** @param scheme a class, or a list of classes */
async function onExchange (scheme, path, request, options) {
  const exchange = await exchangeUnder(scheme, path, request, options)
  const call = () => exchange.request.versioningScheme.determineVersion(exchange.request)
  assert.equal(call(), 'v1')
  return { name: [scheme].flat().map(({ name }) => name).join(' and '), call }
}

/** Headers are made of bytes one by one, as the parser makes them: a string that was looked up before is faster. */
function onHeaders (name, toHeader) {
  const scheme = new AcceptHeaderVersioning({ defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] })
  const call = (request) => scheme.determineVersion(request)
  let made = 0
  const inputs = (count) => Array.from({ length: count }, () => (
    { headers: { accept: Buffer.from(toHeader(made++)).latin1Slice() } }
  ))
  assert.equal(call(inputs(1)[0]), 'v1')
  return { name, call, inputs }
}
