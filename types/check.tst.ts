import { expect, test } from 'tstyche'

import { IncompatibleError, assertCompatible, compare, toMarkdown } from 'fastify-versioning/check'
import type { Change, ChangeKind, CompatibleOptions } from 'fastify-versioning/check'
import type { OpenapiDocument } from './openapi.d.ts'

declare const document: OpenapiDocument

test('documents are compared', () => {
  expect(compare(document, document)).type.toBe<Change[]>()
  expect(compare).type.toBeCallableWith({}, JSON.parse('{}'))
  expect(compare).type.not.toBeCallableWith('released/v1.json', document)
  expect(compare).type.not.toBeCallableWith(document)
  expect<Change['kind']>().type.toBe<ChangeKind>()
  expect<ChangeKind>().type.toBe<'breaking' | 'added' | 'unknown'>()
})

test('places are accepted', () => {
  expect(assertCompatible(document, document)).type.toBe<void>()
  expect(assertCompatible).type.toBeCallableWith(document, document, { accept: new Set(['#/paths']) })
  expect(assertCompatible).type.toBeCallableWith(document, document, {})
  expect(assertCompatible).type.not.toBeCallableWith(document, document, { accept: [1] })
  expect<CompatibleOptions>().type.toHaveProperty('accept')
})

test('changes are printed', () => {
  expect(toMarkdown(compare(document, document))).type.toBe<string>()
  expect(new IncompatibleError([]).changes).type.toBe<readonly Change[]>()
  expect(new IncompatibleError([]).code).type.toBe<'FST_ERR_VERSION_INCOMPATIBLE'>()
})
