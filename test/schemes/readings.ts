import { appWith } from '../fixtures/app-with.ts'

import type { FastifyInstance, FastifyServerOptions, InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { VersioningOptions } from '../../types/index.d.ts'

export const AMBIGUOUS = 'FST_ERR_VERSION_AMBIGUOUS'

/** An app whose route `/` answers with the version of the request. */
export async function readingApp (
  t: Test, options: VersioningOptions, serverOptions?: FastifyServerOptions
): Promise<FastifyInstance> {
  const app = await appWith(t, options, serverOptions)
  app.get('/', async ({ version }) => ({ version }))
  return app
}

/** The version that a route of `readingApp` answers with, or the code of the error. */
export async function versionIn (app: FastifyInstance, request: InjectOptions | string): Promise<unknown> {
  const { version, code } = (await app.inject(request)).json()
  return code ?? version
}

/**
 * A table of what requests specify: a version, or the code of an error. Without a version it is `'the default'`.
 *
 * @param requestOf the request with a value
 */
export function readings<Value> (
  t: Test, options: VersioningOptions, requestOf: (value: Value) => InjectOptions | string,
  rows: readonly (readonly [value: Value, version: unknown])[], serverOptions?: FastifyServerOptions
): void {
  const { scheme, defaultVersion, ...settings } = { defaultVersion: 'the default', ...options }
  const { name } = scheme as { readonly name: string }
  t.test(`${name} with ${JSON.stringify(settings)} reads`, async (t) => {
    const app = await readingApp(t, { scheme, defaultVersion, ...settings }, serverOptions)
    for (const [value, version] of rows) {
      const texts = [value, version].map((one) => JSON.stringify(one).slice(0, 60))
      t.test(`${texts[0]} as ${texts[1]}`, async (t) => {
        // What was read once may be remembered.
        for (const time of ['first', 'second']) t.equal(await versionIn(app, requestOf(value)), version, time)
      })
    }
  })
}
