import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

import { versionedFetch } from '../../src/client/index.ts'
import { typeErrorsOf } from '../fixtures/type-errors.ts'
import { compare, install, run, unreached } from './consumers.ts'
import { BODIES, subjectsIn } from './subjects.ts'

import type { VersionPlace } from '../../types/client.d.ts'
import type { Place, Subject } from './subjects.ts'

type Fetch = typeof globalThis.fetch
interface Generator {
  readonly what: string
  readonly generate: (subject: Subject, name: string) => Promise<unknown>
  /** The calls of a client as its types demand them, with nothing that they do not. */
  readonly calls: (subject: Subject, name: string) => string
  /** What a user has to add. */
  readonly accepted: Partial<Record<Place, string[]>>
  /** Whether `fetch` can be replaced by versionedFetch. */
  readonly takesFetch: boolean
}

const REFUSED = ['DELETE: 400', 'GET: 400', 'POST: 400']
const NOT_ACCEPTED = ['DELETE: 406', 'GET: 406', 'POST: 406']
const folder = await install(t, [
  'oazapfts@7.5.0', '@oazapfts/runtime@1.2.0', 'orval@8.38.0', 'swagger-typescript-api@13.13.0'
])
const subjects = await subjectsIn(t, folder)

/** The answer of GET has the type of its version, and is not `any`. */
const typed = ({ version }: Subject, data: string) => `
  ${version === 'v1' ? `void (${data}.guest satisfies string)` : `void (${data}.guests satisfies string[])`}
  // @ts-expect-error: a field of no version
  void ${data}.nothing`
const bodyOf = ({ version }: Subject) => JSON.stringify(BODIES[version])

const generators: Generator[] = [{
  what: 'oazapfts',
  generate: ({ file }, name) => run(folder, 'oazapfts', 'oazapfts', [file, `${name}.ts`]),
  calls (subject, name) {
    const version = subject.place === 'header' || subject.place === 'query' ? `'${subject.version}'` : ''
    return `
      import * as client from './${name}.ts'
      export async function ask (fetch: typeof globalThis.fetch) {
        client.defaults.fetch = fetch
        const got = await client.getBooking('7', ${version})
        await client.makeBooking(${version && `${version}, `}${bodyOf(subject)})
        await client.cancelBooking('7', ${version})
        if (got.status === 200) { ${typed(subject, 'got.data')} }
      }`
  },
  // It accepts application/json whatever the document says.
  accepted: { accept: NOT_ACCEPTED },
  takesFetch: true
}, {
  what: 'swagger-typescript-api',
  generate: ({ file }, name) => run(folder, 'swagger-typescript-api', 'swagger-typescript-api', [
    'generate', '--path', file, '--output', folder, '--name', `${name}.ts`, '--silent'
  ]),
  calls (subject, name) {
    const query = subject.place === 'query' ? `{ version: '${subject.version}' }` : ''
    const group = subject.place === 'path' ? subject.version : 'bookings'
    return `
      import { Api } from './${name}.ts'
      export async function ask (fetch: typeof globalThis.fetch) {
        const { ${group}: client } = new Api({ customFetch: fetch })
        const got = await client.getBooking('7', ${query}).catch(() => null)
        await client.makeBooking(${query && `${query}, `}${bodyOf(subject)}).catch(() => null)
        await client.cancelBooking('7', ${query}).catch(() => null)
        if (got) { ${typed(subject, 'got.data')} }
      }`
  },
  // It drops header parameters, and accepts anything.
  accepted: { header: REFUSED, accept: NOT_ACCEPTED },
  takesFetch: true
}, {
  what: 'orval',
  async generate ({ file, url }, name) {
    const api = { input: file, output: { target: `${name}.ts`, client: 'fetch', mode: 'single', baseUrl: url } }
    await writeFile(join(folder, `${name}.config.mjs`), `export default ${JSON.stringify({ api })}`)
    await run(folder, 'orval', 'orval', ['--config', `${name}.config.mjs`])
  },
  calls (subject, name) {
    const query = subject.place === 'query' ? `{ version: '${subject.version}' }` : ''
    return `
      import * as client from './${name}.ts'
      export async function ask () {
        const got = await client.getBooking('7', ${query})
        await client.makeBooking(${bodyOf(subject)}, ${query})
        await client.cancelBooking('7', ${query})
        if (got.status === 200) { ${typed(subject, 'got.data')} }
      }`
  },
  // It drops header parameters unless `headers` is set, and accepts anything.
  accepted: { header: REFUSED, accept: NOT_ACCEPTED },
  takesFetch: false
}]

for (const { what, generate, calls, accepted, takesFetch } of generators) {
  const names = new Map<Subject, string>()
  const ask = async (subject: Subject, fetch: Fetch = globalThis.fetch): Promise<string[]> => {
    const name = names.get(subject) as string
    const { ask } = await import(join(folder, `${name}-calls.ts`)) as { ask: (fetch: Fetch) => Promise<void> }
    await ask(fetch)
    return unreached(subject)
  }

  t.test(`a client by ${what} compiles, and reaches the version of its document`, async (t) => {
    await compare(t, subjects, async (subject) => {
      const name = `${what}-${subject.place ?? 'plain'}-${subject.version}`
      names.set(subject, name)
      await generate(subject, name)
      const file = join(folder, `${name}-calls.ts`)
      await writeFile(file, calls(subject, name))
      const errors = typeErrorsOf([file])
      return errors ? [errors] : ask(subject)
    }, accepted)
  })

  const mended: [Place, VersionPlace][] = [
    ['header', { header: 'API-Version' }], ['accept', { accept: 'application/json' }]
  ]
  for (const [place, where] of takesFetch ? mended : []) {
    t.test(`a client by ${what} with versionedFetch reaches the version in the ${place}`, async (t) => {
      for (const subject of subjects.filter((subject) => subject.place === place)) {
        t.same(await ask(subject, versionedFetch({ version: subject.version, place: where })), [], subject.version)
      }
    })
  }
}
