import t from 'tap'

import { checkChanges } from '../../src/index.ts'
import { appBetween, ask } from './bookings.ts'
import { text } from './kernel.ts'

import type { Change } from '../../types/index.d.ts'
import type { Json } from './kernel.ts'

/** A schema that contains itself, with what its text is called, and by what it refers to others. */
const node = (name: string, reference: string, rest: object = {}): Json => ({
  type: 'object',
  properties: { [name]: text, kids: { type: 'array', items: { $ref: reference } } },
  additionalProperties: false,
  ...rest
})
const title = { upgrade: ({ title, ...rest }: Json) => ({ ...rest, label: title }) }
const label = { downgrade: ({ label, ...rest }: Json) => ({ ...rest, title: label }) }
const labelled = (older: object): Change => (
  { version: 'v2', description: 'A title is a label.', schemas: { Node: { older, ...title, ...label } } }
)

for (const [newer, older] of [['Node#', 'Node#'], ['#', '#'], ['Node', '#'], ['#', 'Node'], ['Twig#', 'Twig#']]) {
  t.test(`a body may contain itself by ${newer}, and by ${older} as it was`, async (t) => {
    const shared = [node('label', newer, { $id: 'Node' }), node('label', 'Node#', { $id: 'Twig' })]
    const app = await appBetween(t, labelled(node('title', older)), shared)
    const schema = { body: { $ref: 'Node#' }, response: { 200: { $ref: 'Node#' } } }
    app.post('/nodes', { schema }, async ({ body }) => body)
    app.post('/older', { schema, version: 'v1' }, async ({ body }) => body)
    const isTwig = older === 'Twig#'
    const tree = (name: string) => ({ [name]: 'a', kids: [{ [isTwig ? 'label' : name]: 'b', kids: [] }] })
    for (const [url, name] of [['/nodes', 'title'], ['/older', 'title'], ['/nodes', 'label']]) {
      const { statusCode, body } = await ask(app, name === 'title' ? 'v1' : 'v2', url, tree(name))
      t.equal(statusCode, 200, body)
      t.same(JSON.parse(body), tree(name))
    }
    const wrong = await ask(app, 'v1', '/nodes', { title: 'a', kids: [{ kids: [{ kids: 1 }] }] })
    t.match(wrong.json(), { statusCode: 400, message: 'body/kids/0/kids/0/kids/0 must be object' })
    t.same(checkChanges(app, { Node: [tree('label')] }), [])
  })
}
