import cors from '@fastify/cors'
import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'

import { serve } from '../client/server.ts'

import type { Test } from 'tap'
import type { Pair } from '../client/server.ts'

const EXPOSED = ['API-Version', 'Deprecation', 'Sunset', 'Link', 'API-Supported-Versions', 'API-Deprecated-Versions']

const BUILD = {
  bundle: true, minify: true, write: false, format: 'esm', platform: 'neutral', target: 'es2022'
} as const

/** The client as the package is built, with what it is asked: code that prints the number of checks. */
export async function checksOf (t: Test, pairs: readonly Pair[]): Promise<{ code: string, checks: number }> {
  const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2099-12-31' } }
  const options = { lifecycle, reportVersions: true, servedVersion: 'API-Version' }
  const servers = await Promise.all(pairs.map(async (pair) => ({
    name: pair.name,
    place: pair.place,
    origin: await serve(t, pair, ['v1', 'v2'], options, (app) => (
      app.register(cors, { origin: true, exposedHeaders: EXPOSED })
    ))
  })))
  const { outputFiles: [{ text: code }] } = await build({
    stdin: {
      contents: `import * as client from '../../src/client/index.ts'
        import { check } from './client-checks.js'
        console.log(await check(client, ${JSON.stringify(servers)}) + ' checks')`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url))
    },
    ...BUILD
  })
  return { code, checks: 6 * servers.length + 4 }
}
