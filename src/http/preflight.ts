import type { RawRequest } from '../../types/index.d.ts'

/** The question of a browser whether it may ask (Fetch, section 4.8); it cannot specify a version. */
export function isPreflight ({ method, headers }: Pick<RawRequest, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}
