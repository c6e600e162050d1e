import { expect, test } from 'tstyche'

import { IncompatibleError, assertCompatible, compare, toMarkdown } from 'fastify-versioning/check'
import type { Difference, DifferenceKind, CompatibleOptions } from 'fastify-versioning/check'
import type { OpenapiDocument } from './openapi.d.ts'

declare const document: OpenapiDocument

test('documents are compared', () => {
  expect(compare(document, document)).type.toBe<Difference[]>()
  expect(compare).type.toBeCallableWith({}, JSON.parse('{}'))
  expect(compare).type.not.toBeCallableWith('released/v1.json', document)
  expect(compare).type.not.toBeCallableWith(document)
  expect<Difference['kind']>().type.toBe<DifferenceKind>()
  expect<DifferenceKind>().type.toBe<'breaking' | 'added'>()
})

test('locations are accepted', () => {
  expect(assertCompatible(document, document)).type.toBe<void>()
  expect(assertCompatible).type.toBeCallableWith(document, document, { accept: new Set(['#/paths']) })
  expect(assertCompatible).type.toBeCallableWith(document, document, {})
  expect(assertCompatible).type.not.toBeCallableWith(document, document, { accept: [1] })
  expect<CompatibleOptions>().type.toHaveProperty('accept')
})

test('differences are printed', () => {
  expect(toMarkdown(compare(document, document))).type.toBe<string>()
  expect(new IncompatibleError([]).differences).type.toBe<readonly Difference[]>()
  expect(new IncompatibleError([]).code).type.toBe<'FST_ERR_VERSION_INCOMPATIBLE'>()
})
