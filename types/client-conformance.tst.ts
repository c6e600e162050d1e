import { expect, test } from 'tstyche'

import type * as implementation from '../src/client/index.ts'
import type * as contract from './client.d.ts'

test('the client exports what its contract declares, and nothing else', () => {
  expect<keyof typeof implementation>().type.toBe<keyof typeof contract>()
})

test('the client is what its contract declares', () => {
  expect<typeof implementation>().type.toBeAssignableTo<typeof contract>()
})
