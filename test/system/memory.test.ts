// Alone in its process, because it looks at the whole heap.
import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import t from 'tap'

import { NamespaceVersioning, QueryParameterVersioning } from '../../src/index.ts'
import { declare, linker } from '../links/app.ts'

/** What stands in each text where messages, which responses keep, are cut off, and a snapshot shows it. */
const MARK = 'marked'
/** The last few texts may be in use. */
const MAX_KEPT = 20

/** How many texts with the mark are on the heap, after a garbage collection. */
async function countKept (): Promise<number> {
  const { snapshot, nodes, strings } = JSON.parse(await text(getHeapSnapshot()))
  const { node_fields: fields, node_types: [types] } = snapshot.meta
  const [type, name] = [fields.indexOf('type'), fields.indexOf('name')]
  const marked = new Set(strings.flatMap((one: string, i: number) => one.includes(MARK) ? [i] : []))
  let count = 0
  for (let i = 0; i < nodes.length; i += fields.length) {
    if (types[nodes[i + type]] === 'string' && marked.has(nodes[i + name])) count++
  }
  return count
}

t.test('texts of clients as names and versions of links are not kept in memory', async (t) => {
  const schemes = [NamespaceVersioning, QueryParameterVersioning]
  const [byNamespace, byQuery] = await Promise.all(schemes.map(async (scheme) => {
    const { app, answer, link } = await linker(t, { scheme, allowedVersions: null })
    declare(app, [['v1', '/it', 'it'], ['v1', '/links']], answer)
    return link
  }))
  for (let i = 1; i <= 500; i++) {
    const one = `${'x'.repeat(500)}${MARK}${i}`
    for (const link of [byNamespace, byQuery]) await link('/v1/links', one)
    for (const name of ['it', null]) await byNamespace('/v1/links', name, null, { version: one })
    // A store that is emptied when it is full would hide at the end what it has held.
    if (i !== 333 && i !== 500) continue
    const kept = await countKept()
    t.ok(kept <= MAX_KEPT, `${kept} texts after ${i} links`)
  }
})
