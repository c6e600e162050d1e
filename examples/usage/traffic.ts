import type { FastifyInstance } from 'fastify'

type Method = 'GET' | 'POST' | 'DELETE'
type Call = readonly [account: string, version: string | null, method: Method, url: string, body?: object]

/** What accounts call, each as often as the plugin watches a route before it judges it. */
const calls: readonly Call[] = [
  ['acme-travel', 'v1', 'GET', '/bookings'],
  ['acme-travel', 'v1', 'POST', '/bookings', { guest: 'Ada', room: '12' }],
  ['acme-travel', 'v1', 'GET', '/prices'],
  ['acme-travel', 'v1', 'GET', '/rooms'],
  ['core-cleaning', 'v1', 'DELETE', '/bookings/7'],
  ['bolt', null, 'GET', '/bookings/7'],
  ['delta-payments', 'v2', 'POST', '/payments', { booking: 7, amount: 129.5 }],
  ['delta-payments', 'v2', 'GET', '/invoices/7'],
  ['echo', 'v2', 'GET', '/rooms'],
  ['golf-photos', 'v1', 'GET', '/rooms/12/photo'],
  ['dora', 'v3', 'GET', '/rooms'],
  ['dora', 'v3', 'DELETE', '/bookings/7']
]

/** Sends requests as clients would. */
export async function play (app: FastifyInstance, times = 100): Promise<void> {
  for (const [account, version, method, url, payload] of calls) {
    const headers = { 'x-account': account, ...version !== null && { 'api-version': version } }
    for (let i = 0; i < times; i++) await app.inject({ method, url, headers, ...payload && { payload } })
  }
}
