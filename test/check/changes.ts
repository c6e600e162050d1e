import type { DifferenceKind } from '../../types/check.d.ts'

/** A part of a document, as text or in full. */
type Part = Readonly<Record<string, unknown>>

/** What oasdiff makes of it: ERR and WARN stand for breaking, INFO for added. */
type Verdict = 'ERR' | 'WARN' | 'INFO' | 'none'

export interface Case {
  readonly name: string
  readonly before: Part
  readonly after: Part
  /** The kinds of all differences, the worst first, without repetitions; empty: there are none. */
  readonly expected: readonly DifferenceKind[]
  /** The rule of oasdiff 1.27 and its level, or none if no rule is about it. */
  readonly oasdiff: readonly [rule: string, level: Verdict]
  /** Why the verdict differs from oasdiff's. */
  readonly reason?: string
}

const added: readonly DifferenceKind[] = ['added']
const breaking: readonly DifferenceKind[] = ['breaking']
const nothing: readonly DifferenceKind[] = []

const text = { type: 'string' }
const whole = { type: 'integer' }

/** A document with one operation, `POST /bookings`, unless other paths are given. */
function doc (operation: Part, others: Part = {}): Part {
  const responses = { 200: { description: '' } }
  return {
    openapi: '3.0.3',
    info: { title: 'Bookings', version: '1.0.0' },
    paths: { '/bookings': { post: { responses, ...operation } } },
    ...others
  }
}

function paths (all: Part): Part {
  return { ...doc({}), paths: all }
}

function body (schema: unknown, others: Part = {}): Part {
  return doc({ requestBody: { content: { 'application/json': { schema } } } }, others)
}

function answer (schema: unknown, others: Part = {}): Part {
  return doc({ responses: { 200: { content: { 'application/json': { schema } } } } }, others)
}

function parameter (one: Part): Part {
  return doc({ parameters: [{ in: 'query', name: 'page', schema: text, ...one }] })
}

function header (one: Part | null): Part {
  return doc({ responses: { 200: { headers: one === null ? {} : { 'X-Total': { schema: whole, ...one } } } } })
}

function object (properties: Part, others: Part = {}): Part {
  return { type: 'object', properties, ...others }
}

const components = (schemas: Part) => ({ components: { schemas } })
const ok = { responses: { 200: { description: '' } } }
const card = object({ kind: { type: 'string', enum: ['card'] }, number: text }, { required: ['kind'] })
const cash = object({ kind: { type: 'string', enum: ['cash'] } }, { required: ['kind'] })
const schemes = {
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      token: { type: 'http', scheme: 'bearer' },
      oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/', scopes: {} } } }
    }
  }
}
const PROOF = 'what is no longer allowed, or is new, is plain'
const UNPROVEN = 'values that meet both rules, or neither, cannot be told apart without trying'
const LOUDER = 'it is not proven here that no client fails'

export const cases: readonly Case[] = [
  // Operations
  {
    name: 'an operation is removed',
    before: doc({}),
    after: paths({}),
    expected: breaking,
    oasdiff: ['api-path-removed-without-deprecation', 'ERR']
  },
  {
    name: 'a method is removed',
    before: paths({ '/a': { get: ok, put: ok } }),
    after: paths({ '/a': { get: ok } }),
    expected: breaking,
    oasdiff: ['api-removed-without-deprecation', 'ERR']
  },
  {
    name: 'a deprecated operation is removed after its sunset',
    before: doc({ deprecated: true, 'x-sunset': '2020-01-01' }),
    after: paths({}),
    expected: breaking,
    oasdiff: ['api-path-removed-with-deprecation', 'INFO'],
    reason: 'a client that has not moved fails; accept its location once it is gone'
  },
  { name: 'a path is added', before: paths({}), after: doc({}), expected: added, oasdiff: ['endpoint-added', 'INFO'] },
  {
    name: 'a method is added',
    before: paths({ '/a': { get: ok } }),
    after: paths({ '/a': { get: ok, put: ok } }),
    expected: added,
    oasdiff: ['endpoint-added', 'INFO']
  },
  {
    name: 'a path parameter gets another name',
    before: paths({ '/a/{id}': { get: ok } }),
    after: paths({ '/a/{key}': { get: ok } }),
    expected: nothing,
    oasdiff: ['', 'none']
  },
  {
    name: 'an operation gets another operationId',
    before: doc({ operationId: 'a' }),
    after: doc({ operationId: 'b' }),
    expected: nothing,
    oasdiff: ['api-operation-id-removed', 'INFO'],
    reason: 'it is not in a request or a response'
  },
  {
    name: 'an operation is deprecated',
    before: doc({}),
    after: doc({ deprecated: true, 'x-sunset': '2030-01-01' }),
    expected: nothing,
    oasdiff: ['endpoint-deprecated', 'INFO'],
    reason: 'that a version ends does not change it'
  },
  {
    name: 'a tag, a summary and a description change',
    before: doc({ tags: ['a'], summary: 'a' }),
    after: doc({ tags: ['b'], description: 'b' }),
    expected: nothing,
    oasdiff: ['api-tag-removed', 'INFO'],
    reason: 'these are for readers'
  },
  {
    name: 'a callback changes',
    before: doc({ callbacks: { done: { '{$url}': { post: ok } } } }),
    after: doc({ callbacks: { done: { '{$url}': { put: ok } } } }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: 'the directions are the other way round, which is not decided here'
  },
  {
    name: 'a webhook is removed',
    before: { ...doc({}), webhooks: { done: { post: ok } } },
    after: doc({}),
    expected: breaking,
    oasdiff: ['webhook-removed', 'ERR']
  },
  {
    name: 'a webhook is added',
    before: doc({}),
    after: { ...doc({}), webhooks: { done: { post: ok } } },
    expected: added,
    oasdiff: ['webhook-added', 'INFO']
  },

  // Parameters
  {
    name: 'an optional parameter is added',
    before: doc({}),
    after: parameter({}),
    expected: added,
    oasdiff: ['new-optional-request-parameter', 'INFO']
  },
  {
    name: 'a required parameter is added',
    before: doc({}),
    after: parameter({ required: true }),
    expected: breaking,
    oasdiff: ['new-required-request-parameter', 'ERR']
  },
  {
    name: 'a parameter is removed',
    before: parameter({}),
    after: doc({}),
    expected: breaking,
    oasdiff: ['request-parameter-removed', 'WARN']
  },
  {
    name: 'a parameter is required',
    before: parameter({}),
    after: parameter({ required: true }),
    expected: breaking,
    oasdiff: ['request-parameter-became-required', 'ERR']
  },
  {
    name: 'a parameter is optional',
    before: parameter({ required: true }),
    after: parameter({}),
    expected: added,
    oasdiff: ['request-parameter-became-optional', 'INFO']
  },
  {
    name: 'a parameter moves to a header',
    before: parameter({}),
    after: parameter({ in: 'header' }),
    expected: ['breaking', 'added'],
    oasdiff: ['request-parameter-removed', 'WARN']
  },
  {
    name: 'a header parameter is written in other letters',
    before: parameter({ in: 'header', name: 'X-Page' }),
    after: parameter({ in: 'header', name: 'x-page' }),
    expected: nothing,
    oasdiff: ['', 'none']
  },
  {
    name: 'text in a query becomes a number',
    before: parameter({}),
    after: parameter({ schema: whole }),
    expected: breaking,
    oasdiff: ['request-parameter-type-changed', 'ERR']
  },
  {
    name: 'a number in a query becomes text',
    before: parameter({ schema: whole }),
    after: parameter({}),
    expected: breaking,
    oasdiff: ['request-parameter-type-generalized', 'INFO'],
    reason: LOUDER
  },
  {
    name: 'a parameter loses a value of its enum',
    before: parameter({ schema: { enum: ['a', 'b'] } }),
    after: parameter({ schema: { enum: ['a'] } }),
    expected: breaking,
    oasdiff: ['request-parameter-enum-value-removed', 'ERR']
  },
  {
    name: 'a parameter gets a value of its enum',
    before: parameter({ schema: { enum: ['a'] } }),
    after: parameter({ schema: { enum: ['a', 'b'] } }),
    expected: added,
    oasdiff: ['request-parameter-enum-value-added', 'INFO']
  },
  {
    name: 'a parameter becomes an enum',
    before: parameter({}),
    after: parameter({ schema: { type: 'string', enum: ['a'] } }),
    expected: breaking,
    oasdiff: ['request-parameter-became-enum', 'ERR']
  },
  {
    name: 'a parameter gets a pattern',
    before: parameter({}),
    after: parameter({ schema: { type: 'string', pattern: '^a' } }),
    expected: breaking,
    oasdiff: ['request-parameter-pattern-added', 'ERR']
  },
  {
    name: 'a parameter has another pattern',
    before: parameter({ schema: { type: 'string', pattern: '^b' } }),
    after: parameter({ schema: { type: 'string', pattern: '^a' } }),
    expected: breaking,
    oasdiff: ['request-parameter-pattern-changed', 'WARN']
  },
  {
    name: 'a parameter has any pattern',
    before: parameter({ schema: { type: 'string', pattern: '^b' } }),
    after: parameter({ schema: { type: 'string', pattern: '.*' } }),
    expected: breaking,
    oasdiff: ['request-parameter-pattern-generalized', 'INFO'],
    reason: LOUDER
  },
  {
    name: 'a parameter has another default',
    before: parameter({ schema: { type: 'string', default: 'a' } }),
    after: parameter({ schema: { type: 'string', default: 'b' } }),
    expected: breaking,
    oasdiff: ['request-parameter-default-value-changed', 'ERR']
  },
  {
    name: 'a parameter has a lower maximum',
    before: parameter({ schema: { type: 'integer', maximum: 9 } }),
    after: parameter({ schema: { type: 'integer', maximum: 8 } }),
    expected: breaking,
    oasdiff: ['request-parameter-max-decreased', 'ERR']
  },
  {
    name: 'a parameter gets a maximum',
    before: parameter({ schema: whole }),
    after: parameter({ schema: { type: 'integer', maximum: 8 } }),
    expected: breaking,
    oasdiff: ['request-parameter-max-set', 'WARN']
  },
  {
    name: 'a parameter is written in another style',
    before: parameter({ schema: { type: 'array', items: text } }),
    after: parameter({ schema: { type: 'array', items: text }, explode: false }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: 'a server may read both'
  },
  {
    name: 'a parameter stands for all operations of the path',
    before: parameter({}),
    after: paths({ '/bookings': { parameters: [{ in: 'query', name: 'page', schema: text }], post: ok } }),
    expected: nothing,
    oasdiff: ['', 'none']
  },

  // Request bodies
  {
    name: 'an optional request body is added',
    before: doc({}),
    after: body(text),
    expected: added,
    oasdiff: ['request-body-added-optional', 'INFO']
  },
  {
    name: 'a required request body is added',
    before: doc({}),
    after: doc({ requestBody: { required: true, content: {} } }),
    expected: breaking,
    oasdiff: ['request-body-added-required', 'ERR']
  },
  {
    name: 'a request body is removed',
    before: body(text),
    after: doc({}),
    expected: breaking,
    oasdiff: ['request-body-removed', 'ERR']
  },
  {
    name: 'a request body is required',
    before: doc({ requestBody: { content: {} } }),
    after: doc({ requestBody: { required: true, content: {} } }),
    expected: breaking,
    oasdiff: ['request-body-became-required', 'ERR']
  },
  {
    name: 'a request body is optional',
    before: doc({ requestBody: { required: true, content: {} } }),
    after: doc({ requestBody: { content: {} } }),
    expected: added,
    oasdiff: ['request-body-became-optional', 'INFO']
  },
  {
    name: 'a media type of a request is removed',
    before: doc({ requestBody: { content: { 'text/csv': {}, 'text/plain': {} } } }),
    after: doc({ requestBody: { content: { 'text/csv': {} } } }),
    expected: breaking,
    oasdiff: ['request-body-media-type-removed', 'ERR']
  },
  {
    name: 'a media type of a request is added',
    before: doc({ requestBody: { content: { 'text/csv': {} } } }),
    after: doc({ requestBody: { content: { 'text/csv': {}, 'text/plain': {} } } }),
    expected: added,
    oasdiff: ['request-body-media-type-added', 'INFO']
  },
  {
    name: 'a request body gets a schema',
    before: doc({ requestBody: { content: { 'application/json': {} } } }),
    after: body(text),
    expected: breaking,
    oasdiff: ['request-body-media-type-schema-added', 'ERR']
  },
  {
    name: 'a request body loses its schema',
    before: body(text),
    after: doc({ requestBody: { content: { 'application/json': {} } } }),
    expected: added,
    oasdiff: ['request-body-media-type-schema-removed', 'INFO']
  },
  {
    name: 'an optional property of a request is added',
    before: body(object({})),
    after: body(object({ a: text })),
    expected: added,
    oasdiff: ['new-optional-request-property', 'INFO']
  },
  {
    name: 'a required property of a request is added',
    before: body(object({})),
    after: body(object({ a: text }, { required: ['a'] })),
    expected: breaking,
    oasdiff: ['new-required-request-property', 'ERR']
  },
  {
    name: 'a required property of a request with a default is added',
    before: body(object({})),
    after: body(object({ a: { type: 'string', default: '' } }, { required: ['a'] })),
    expected: breaking,
    oasdiff: ['new-required-request-property-with-default', 'ERR']
  },
  {
    name: 'a property of a request is removed',
    before: body(object({ a: text })),
    after: body(object({})),
    expected: breaking,
    oasdiff: ['request-property-removed', 'WARN']
  },
  {
    name: 'a property of a closed request is removed',
    before: body(object({ a: text }, { additionalProperties: false })),
    after: body(object({}, { additionalProperties: false })),
    expected: breaking,
    oasdiff: ['request-property-removed', 'WARN']
  },
  {
    name: 'a property of a request is required',
    before: body(object({ a: text })),
    after: body(object({ a: text }, { required: ['a'] })),
    expected: breaking,
    oasdiff: ['request-property-became-required', 'ERR']
  },
  {
    name: 'a property of a request is optional',
    before: body(object({ a: text }, { required: ['a'] })),
    after: body(object({ a: text })),
    expected: added,
    oasdiff: ['request-property-became-optional', 'INFO']
  },
  {
    name: 'a request takes null',
    before: body(text),
    after: body({ type: 'string', nullable: true }),
    expected: added,
    oasdiff: ['request-body-became-nullable', 'INFO']
  },
  {
    name: 'a request no longer takes null',
    before: body({ type: ['string', 'null'] }),
    after: body(text),
    expected: breaking,
    oasdiff: ['request-body-became-not-nullable', 'ERR']
  },
  {
    name: 'a request takes null by an alternative',
    before: body(card),
    after: body({ oneOf: [{ type: 'null' }, card] }),
    expected: added,
    oasdiff: ['request-body-became-nullable', 'INFO']
  },
  {
    name: 'an integer of a request becomes a number',
    before: body(whole),
    after: body({ type: 'number' }),
    expected: added,
    oasdiff: ['request-body-type-generalized', 'INFO']
  },
  {
    name: 'a number of a request becomes an integer',
    before: body({ type: 'number' }),
    after: body(whole),
    expected: breaking,
    oasdiff: ['request-body-type-changed', 'ERR']
  },
  {
    name: 'a request has another type',
    before: body(object({ a: text })),
    after: body(object({ a: whole })),
    expected: breaking,
    oasdiff: ['request-property-type-changed', 'ERR']
  },
  {
    name: 'a request has one type more',
    before: body({ type: ['string'] }),
    after: body({ type: ['string', 'integer'] }),
    expected: added,
    oasdiff: ['request-body-list-of-types-widened', 'INFO']
  },
  {
    name: 'a request has one type less',
    before: body({ type: ['string', 'integer'] }),
    after: body({ type: ['string'] }),
    expected: breaking,
    oasdiff: ['request-body-list-of-types-narrowed', 'ERR']
  },
  {
    name: 'a request gets a format',
    before: body(text),
    after: body({ type: 'string', format: 'uuid' }),
    expected: breaking,
    oasdiff: ['request-body-type-changed', 'ERR']
  },
  {
    name: 'a request gets an unknown format',
    before: body(text),
    after: body({ type: 'string', format: 'nickname' }),
    expected: breaking,
    oasdiff: ['request-body-type-changed', 'ERR']
  },
  {
    name: 'a request loses its format',
    before: body({ type: 'string', format: 'uuid' }),
    after: body(text),
    expected: added,
    oasdiff: ['request-body-type-generalized', 'INFO']
  },
  {
    name: 'a request has another format',
    before: body({ type: 'string', format: 'date' }),
    after: body({ type: 'string', format: 'date-time' }),
    expected: breaking,
    oasdiff: ['request-body-type-changed', 'ERR']
  },
  {
    name: 'a request takes larger integers',
    before: body({ type: 'integer', format: 'int32' }),
    after: body({ type: 'integer', format: 'int64' }),
    expected: breaking,
    oasdiff: ['request-body-type-generalized', 'INFO'],
    reason: LOUDER
  },
  {
    name: 'a value of an enum of a request is removed',
    before: body({ enum: ['a', 'b'] }),
    after: body({ enum: ['a'] }),
    expected: breaking,
    oasdiff: ['request-body-enum-value-removed', 'ERR']
  },
  {
    name: 'a value of an enum of a request is added',
    before: body(object({ a: { enum: ['a'] } })),
    after: body(object({ a: { enum: ['b', 'a'] } })),
    expected: added,
    oasdiff: ['request-property-enum-value-added', 'INFO']
  },
  {
    name: 'a request becomes an enum',
    before: body(text),
    after: body({ type: 'string', enum: ['a'] }),
    expected: breaking,
    oasdiff: ['request-body-became-enum', 'ERR']
  },
  {
    name: 'constants of alternatives become an enum',
    before: body({ anyOf: [{ const: 'a' }, { const: 'b' }] }),
    after: body({ enum: ['a', 'b', 'c'] }),
    expected: added,
    oasdiff: ['request-body-any-of-removed', 'ERR'],
    reason: 'it is the same, and one value more'
  },
  {
    name: 'a constant of a request changes',
    before: body({ const: 1 }),
    after: body({ const: 2 }),
    expected: ['breaking', 'added'],
    oasdiff: ['request-body-const-changed', 'ERR']
  },
  {
    name: 'a constant of a request is any value now',
    before: body({ type: 'string', const: 'a' }),
    after: body(text),
    expected: added,
    oasdiff: ['request-body-const-removed', 'INFO']
  },
  {
    name: 'a request has a greater minLength',
    before: body({ type: 'string', minLength: 1 }),
    after: body({ type: 'string', minLength: 2 }),
    expected: breaking,
    oasdiff: ['request-body-min-length-increased', 'ERR']
  },
  {
    name: 'a request has a smaller minLength',
    before: body({ type: 'string', minLength: 2 }),
    after: body({ type: 'string', minLength: 1 }),
    expected: added,
    oasdiff: ['request-body-min-length-decreased', 'INFO']
  },
  {
    name: 'a request gets a maxLength',
    before: body(text),
    after: body({ type: 'string', maxLength: 9 }),
    expected: breaking,
    oasdiff: ['request-body-max-length-set', 'WARN']
  },
  {
    name: 'a request gets an exclusive minimum',
    before: body({ type: 'number', minimum: 1 }),
    after: body({ type: 'number', minimum: 1, exclusiveMinimum: true }),
    expected: ['breaking', 'added'],
    oasdiff: ['request-body-exclusive-min-increased', 'ERR']
  },
  {
    name: 'a request has its exclusive minimum written as a number',
    before: body({ type: 'number', minimum: 1, exclusiveMinimum: true }),
    after: body({ type: 'number', exclusiveMinimum: 1 }),
    expected: nothing,
    oasdiff: ['', 'none']
  },
  {
    name: 'an integer above 0 is at least 1',
    before: body({ type: 'integer', exclusiveMinimum: 0 }),
    after: body({ type: 'integer', minimum: 1 }),
    expected: ['breaking', 'added'],
    oasdiff: ['request-body-min-set', 'WARN']
  },
  {
    name: 'a bound that says nothing about the type is added',
    before: body(whole),
    after: body({ type: 'integer', maxLength: 3 }),
    expected: breaking,
    oasdiff: ['request-body-max-length-set', 'WARN']
  },
  {
    name: 'a request takes fewer members',
    before: body({ type: 'array', items: text, maxItems: 3 }),
    after: body({ type: 'array', items: text, maxItems: 2 }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'a request needs more members',
    before: body({ type: 'array', items: text }),
    after: body({ type: 'array', items: text, minItems: 2 }),
    expected: breaking,
    oasdiff: ['request-body-min-items-set', 'WARN']
  },
  {
    name: 'members of a request must be unique',
    before: body({ type: 'array', items: text }),
    after: body({ type: 'array', items: text, uniqueItems: true }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'members of a request have another type',
    before: body({ type: 'array', items: text }),
    after: body({ type: 'array', items: whole }),
    expected: breaking,
    oasdiff: ['request-property-type-changed', 'ERR']
  },
  {
    name: 'a request takes multiples of less',
    before: body({ type: 'integer', multipleOf: 6 }),
    after: body({ type: 'integer', multipleOf: 3 }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'a request takes no other properties',
    before: body(object({ a: text })),
    after: body(object({ a: text }, { additionalProperties: false })),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'a request takes other properties',
    before: body(object({ a: text }, { additionalProperties: false })),
    after: body(object({ a: text })),
    expected: added,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'values of a map in a request have another type',
    before: body({ type: 'object', additionalProperties: text }),
    after: body({ type: 'object', additionalProperties: whole }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'a request gets a part of allOf',
    before: body({ allOf: [object({ a: text })] }),
    after: body({ allOf: [object({ a: text }), object({}, { required: ['a'] })] }),
    expected: breaking,
    oasdiff: ['request-body-all-of-added', 'ERR']
  },
  {
    name: 'a request gets a part of allOf that says nothing new',
    before: body({ allOf: [object({ a: text })] }),
    after: body({ allOf: [object({ a: text }), { type: 'object' }] }),
    expected: nothing,
    oasdiff: ['request-body-all-of-added', 'ERR'],
    reason: 'it is the same'
  },
  {
    name: 'a request loses a part of allOf',
    before: body({ allOf: [text, { maxLength: 3 }] }),
    after: body({ allOf: [text] }),
    expected: added,
    oasdiff: ['request-body-all-of-removed', 'WARN'],
    reason: PROOF
  },
  {
    name: 'a request gets an alternative',
    before: body({ oneOf: [card] }),
    after: body({ oneOf: [card, cash] }),
    expected: added,
    oasdiff: ['request-body-one-of-added', 'INFO']
  },
  {
    name: 'a request loses an alternative',
    before: body({ oneOf: [card, cash] }),
    after: body({ oneOf: [card] }),
    expected: breaking,
    oasdiff: ['request-body-one-of-removed', 'ERR']
  },
  {
    name: 'a request gets an alternative that overlaps with another',
    before: body({ oneOf: [object({ a: text })] }),
    after: body({ oneOf: [object({ a: text }), object({ b: text })] }),
    expected: breaking,
    oasdiff: ['request-body-one-of-added', 'INFO'],
    reason: 'a value that meets two alternatives of oneOf is refused'
  },
  {
    name: 'a request loses an alternative that others may cover',
    before: body({ anyOf: [object({ a: text }), object({ b: text })] }),
    after: body({ anyOf: [object({ a: text })] }),
    expected: ['breaking', 'added'],
    oasdiff: ['request-body-any-of-removed', 'ERR']
  },
  {
    name: 'a request gets a rule of not',
    before: body(text),
    after: body({ type: 'string', not: { const: 'a' } }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: UNPROVEN
  },
  {
    name: 'a request gets a condition',
    before: body(object({ a: text })),
    after: body(object({ a: text }, { if: { required: ['a'] }, then: { required: ['b'] } })),
    expected: breaking,
    oasdiff: ['request-body-if-added', 'ERR']
  },
  {
    name: 'a request gets a pattern for properties',
    before: body(object({})),
    after: body(object({}, { patternProperties: { '^a': text } })),
    expected: breaking,
    oasdiff: ['request-body-pattern-property-added', 'ERR']
  },
  {
    name: 'a property of a request depends on another',
    before: body(object({ a: text, b: text })),
    after: body(object({ a: text, b: text }, { dependentRequired: { a: ['b'] } })),
    expected: breaking,
    oasdiff: ['request-body-dependent-required-added', 'ERR']
  },
  {
    name: 'a property of a request is for reading only',
    before: body(object({ a: text })),
    after: body(object({ a: { type: 'string', readOnly: true } })),
    expected: breaking,
    oasdiff: ['request-optional-property-became-read-only', 'INFO'],
    reason: 'servers may refuse it or ignore it'
  },
  {
    name: 'a property of a request that is for reading only changes',
    before: body(object({ a: { type: 'string', readOnly: true } })),
    after: body(object({ a: { type: 'integer', readOnly: true } })),
    expected: nothing,
    oasdiff: ['', 'none']
  },

  // Responses
  {
    name: 'a status of success is removed',
    before: doc({ responses: { 200: {}, 201: {} } }),
    after: doc({ responses: { 200: {} } }),
    expected: breaking,
    oasdiff: ['response-success-status-removed', 'ERR']
  },
  {
    name: 'a status of success is added',
    before: doc({ responses: { 200: {} } }),
    after: doc({ responses: { 200: {}, 202: {} } }),
    expected: breaking,
    oasdiff: ['response-success-status-added', 'INFO'],
    reason: 'a client may only know what to do with the other one'
  },
  {
    name: 'a status of an error is removed',
    before: doc({ responses: { 200: {}, 409: {} } }),
    after: doc({ responses: { 200: {} } }),
    expected: added,
    oasdiff: ['response-non-success-status-removed', 'INFO']
  },
  {
    name: 'a status of an error is added',
    before: doc({ responses: { 200: {} } }),
    after: doc({ responses: { 200: {}, 409: {} } }),
    expected: added,
    oasdiff: ['response-non-success-status-added', 'INFO']
  },
  {
    name: 'a media type of a response is removed',
    before: doc({ responses: { 200: { content: { 'text/csv': {}, 'text/plain': {} } } } }),
    after: doc({ responses: { 200: { content: { 'text/csv': {} } } } }),
    expected: breaking,
    oasdiff: ['response-media-type-removed', 'ERR']
  },
  {
    name: 'a media type of a response is added',
    before: doc({ responses: { 200: { content: { 'text/csv': {} } } } }),
    after: doc({ responses: { 200: { content: { 'text/csv': {}, 'text/plain': {} } } } }),
    expected: added,
    oasdiff: ['response-media-type-added', 'INFO']
  },
  {
    name: 'a response loses its schema',
    before: answer(text),
    after: doc({ responses: { 200: { content: { 'application/json': {} } } } }),
    expected: breaking,
    oasdiff: ['response-body-media-type-schema-removed', 'WARN']
  },
  {
    name: 'a response gets a schema',
    before: doc({ responses: { 200: { content: { 'application/json': {} } } } }),
    after: answer(text),
    expected: added,
    oasdiff: ['response-body-media-type-schema-added', 'INFO']
  },
  {
    name: 'an optional property of a response is added',
    before: answer(object({})),
    after: answer(object({ a: text })),
    expected: added,
    oasdiff: ['response-optional-property-added', 'INFO']
  },
  {
    name: 'a required property of a response is added',
    before: answer(object({})),
    after: answer(object({ a: text }, { required: ['a'] })),
    expected: added,
    oasdiff: ['response-required-property-added', 'INFO']
  },
  {
    name: 'an optional property of a response is removed',
    before: answer(object({ a: text })),
    after: answer(object({})),
    expected: breaking,
    oasdiff: ['response-optional-property-removed', 'WARN']
  },
  {
    name: 'a required property of a response is removed',
    before: answer(object({ a: text }, { required: ['a'] })),
    after: answer(object({})),
    expected: breaking,
    oasdiff: ['response-required-property-removed', 'ERR']
  },
  {
    name: 'a property of a response is optional',
    before: answer(object({ a: text }, { required: ['a'] })),
    after: answer(object({ a: text })),
    expected: breaking,
    oasdiff: ['response-property-became-optional', 'ERR']
  },
  {
    name: 'a property of a response is always there',
    before: answer(object({ a: text })),
    after: answer(object({ a: text }, { required: ['a'] })),
    expected: added,
    oasdiff: ['response-property-became-required', 'INFO']
  },
  {
    name: 'a response may be null',
    before: answer(object({ a: text })),
    after: answer(object({ a: { type: 'string', nullable: true } })),
    expected: breaking,
    oasdiff: ['response-property-became-nullable', 'ERR']
  },
  {
    name: 'a response is no longer null',
    before: answer(object({ a: { type: ['string', 'null'] } })),
    after: answer(object({ a: text })),
    expected: added,
    oasdiff: ['response-property-became-not-nullable', 'INFO']
  },
  {
    name: 'an integer of a response becomes a number',
    before: answer(whole),
    after: answer({ type: 'number' }),
    expected: breaking,
    oasdiff: ['response-body-type-generalized', 'ERR']
  },
  {
    name: 'a number of a response becomes an integer',
    before: answer({ type: 'number' }),
    after: answer(whole),
    expected: added,
    oasdiff: ['response-body-type-specialized', 'INFO']
  },
  {
    name: 'a response has another type',
    before: answer(object({ a: text })),
    after: answer(object({ a: { type: 'array', items: text } })),
    expected: breaking,
    oasdiff: ['response-property-type-changed', 'ERR']
  },
  {
    name: 'a response has one type less',
    before: answer({ type: ['string', 'integer'] }),
    after: answer(text),
    expected: added,
    oasdiff: ['response-body-list-of-types-narrowed', 'INFO']
  },
  {
    name: 'a response loses its format',
    before: answer({ type: 'string', format: 'date' }),
    after: answer(text),
    expected: breaking,
    oasdiff: ['response-body-type-generalized', 'ERR']
  },
  {
    name: 'a response gets a format',
    before: answer(text),
    after: answer({ type: 'string', format: 'date' }),
    expected: added,
    oasdiff: ['response-body-type-specialized', 'INFO']
  },
  {
    name: 'a value of an enum of a response is added',
    before: answer(object({ a: { enum: ['a'] } })),
    after: answer(object({ a: { enum: ['a', 'b'] } })),
    expected: breaking,
    oasdiff: ['response-property-enum-value-added', 'WARN']
  },
  {
    name: 'a value of an enum of a response is removed',
    before: answer(object({ a: { enum: ['a', 'b'] } })),
    after: answer(object({ a: { enum: ['a'] } })),
    expected: added,
    oasdiff: ['response-property-enum-value-removed', 'INFO']
  },
  {
    name: 'a constant of a response changes',
    before: answer({ const: 1 }),
    after: answer({ const: 2 }),
    expected: ['breaking', 'added'],
    oasdiff: ['response-body-const-changed', 'ERR']
  },
  {
    name: 'an enum of a response is any text now',
    before: answer({ type: 'string', enum: ['a'] }),
    after: answer(text),
    expected: breaking,
    oasdiff: ['response-body-const-removed', 'ERR']
  },
  {
    name: 'a response has a greater maximum',
    before: answer({ type: 'integer', maximum: 8 }),
    after: answer({ type: 'integer', maximum: 9 }),
    expected: breaking,
    oasdiff: ['response-body-max-increased', 'ERR']
  },
  {
    name: 'a response has a smaller maximum',
    before: answer({ type: 'integer', maximum: 9 }),
    after: answer({ type: 'integer', maximum: 8 }),
    expected: added,
    oasdiff: ['', 'none'],
    reason: PROOF
  },
  {
    name: 'a response loses its maxLength',
    before: answer({ type: 'string', maxLength: 8 }),
    after: answer(text),
    expected: breaking,
    oasdiff: ['response-body-max-length-unset', 'ERR']
  },
  {
    name: 'a response has a smaller minItems',
    before: answer({ type: 'array', minItems: 2 }),
    after: answer({ type: 'array', minItems: 1 }),
    expected: breaking,
    oasdiff: ['response-body-min-items-decreased', 'ERR']
  },
  {
    name: 'a response gets a pattern',
    before: answer(object({ a: text })),
    after: answer(object({ a: { type: 'string', pattern: 'a' } })),
    expected: added,
    oasdiff: ['response-property-pattern-added', 'INFO']
  },
  {
    name: 'a response has another pattern',
    before: answer(object({ a: { type: 'string', pattern: 'b' } })),
    after: answer(object({ a: { type: 'string', pattern: 'a' } })),
    expected: breaking,
    oasdiff: ['response-property-pattern-changed', 'INFO'],
    reason: UNPROVEN
  },
  {
    name: 'a response loses its pattern',
    before: answer(object({ a: { type: 'string', pattern: 'b' } })),
    after: answer(object({ a: text })),
    expected: breaking,
    oasdiff: ['response-property-pattern-removed', 'INFO'],
    reason: PROOF
  },
  {
    name: 'a response has another default',
    before: answer(object({ a: { type: 'string', default: 'a' } })),
    after: answer(object({ a: text })),
    expected: nothing,
    oasdiff: ['response-property-default-value-removed', 'INFO'],
    reason: 'it is not in the response'
  },
  {
    name: 'a response gets an alternative',
    before: answer({ oneOf: [card] }),
    after: answer({ oneOf: [card, cash] }),
    expected: breaking,
    oasdiff: ['response-body-one-of-added', 'ERR']
  },
  {
    name: 'a response loses an alternative',
    before: answer({ oneOf: [card, cash] }),
    after: answer({ oneOf: [card] }),
    expected: added,
    oasdiff: ['response-body-one-of-removed', 'INFO']
  },
  {
    name: 'a response gets one alternative more by anyOf',
    before: answer({ anyOf: [text] }),
    after: answer({ anyOf: [text, whole] }),
    expected: breaking,
    oasdiff: ['response-body-any-of-added', 'INFO'],
    reason: PROOF
  },
  {
    name: 'an alternative of a response gets a property',
    before: answer({ oneOf: [card, cash] }),
    after: answer({ oneOf: [object({ ...card.properties as Part, name: text }, { required: ['kind'] }), cash] }),
    expected: added,
    oasdiff: ['response-optional-property-added', 'INFO']
  },
  {
    name: 'a response gets a part of allOf',
    before: answer({ allOf: [object({ a: text })] }),
    after: answer({ allOf: [object({ a: text }), object({ b: text })] }),
    expected: added,
    oasdiff: ['response-body-all-of-added', 'INFO']
  },
  {
    name: 'a property of a response is for writing only',
    before: answer(object({ a: text })),
    after: answer(object({ a: { type: 'string', writeOnly: true } })),
    expected: breaking,
    oasdiff: ['response-optional-property-became-write-only', 'INFO'],
    reason: 'a client that reads it finds it no more'
  },
  {
    name: 'a response may have other properties',
    before: answer(object({}, { additionalProperties: false })),
    after: answer(object({})),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: 'nobody knows which'
  },
  {
    name: 'a response has no other properties',
    before: answer(object({})),
    after: answer(object({}, { additionalProperties: false })),
    expected: added,
    oasdiff: ['', 'none'],
    reason: PROOF
  },

  // Response headers
  {
    name: 'a response header is added',
    before: header(null),
    after: header({}),
    expected: added,
    oasdiff: ['response-header-added', 'INFO']
  },
  {
    name: 'a response header is removed',
    before: header({}),
    after: header(null),
    expected: breaking,
    oasdiff: ['optional-response-header-removed', 'WARN']
  },
  {
    name: 'a required response header is removed',
    before: header({ required: true }),
    after: header(null),
    expected: breaking,
    oasdiff: ['required-response-header-removed', 'ERR']
  },
  {
    name: 'a response header is optional',
    before: header({ required: true }),
    after: header({}),
    expected: breaking,
    oasdiff: ['response-header-became-optional', 'ERR']
  },
  {
    name: 'a response header is text now',
    before: header({}),
    after: header({ schema: text }),
    expected: breaking,
    oasdiff: ['response-header-type-generalized', 'ERR']
  },
  {
    name: 'a response header is an integer now',
    before: header({ schema: text }),
    after: header({}),
    expected: breaking,
    oasdiff: ['response-header-type-specialized', 'INFO'],
    reason: LOUDER
  },
  {
    name: 'the version ends, and headers say so',
    before: header(null),
    after: doc({
      responses: {
        200: { headers: { Deprecation: { schema: text }, Sunset: { schema: text }, Link: { schema: text } } }
      }
    }),
    expected: nothing,
    oasdiff: ['response-header-added', 'INFO'],
    reason: 'that a version ends does not change it'
  },

  // Security
  {
    name: 'an operation needs a key',
    before: doc({}, schemes),
    after: doc({ security: [{ key: [] }] }, schemes),
    expected: breaking,
    oasdiff: ['api-security-added', 'INFO'],
    reason: PROOF
  },
  {
    name: 'every operation needs a key',
    before: doc({}, schemes),
    after: doc({}, { ...schemes, security: [{ key: [] }] }),
    expected: breaking,
    oasdiff: ['api-global-security-added', 'INFO'],
    reason: PROOF
  },
  {
    name: 'an operation needs no key any more',
    before: doc({ security: [{ key: [] }] }, schemes),
    after: doc({}, schemes),
    expected: added,
    oasdiff: ['api-security-removed', 'INFO']
  },
  {
    name: 'an operation takes a token as well',
    before: doc({ security: [{ key: [] }] }, schemes),
    after: doc({ security: [{ key: [] }, { token: [] }] }, schemes),
    expected: added,
    oasdiff: ['api-security-added', 'INFO']
  },
  {
    name: 'an operation needs a token as well',
    before: doc({ security: [{ key: [] }] }, schemes),
    after: doc({ security: [{ key: [], token: [] }] }, schemes),
    expected: breaking,
    oasdiff: ['api-security-added', 'INFO'],
    reason: PROOF
  },
  {
    name: 'an operation needs one scope more',
    before: doc({ security: [{ oauth: ['a'] }] }, schemes),
    after: doc({ security: [{ oauth: ['a', 'b'] }] }, schemes),
    expected: breaking,
    oasdiff: ['api-security-scope-added', 'INFO'],
    reason: PROOF
  },
  {
    name: 'an operation needs one scope less',
    before: doc({ security: [{ oauth: ['a', 'b'] }] }, schemes),
    after: doc({ security: [{ oauth: ['a'] }] }, schemes),
    expected: added,
    oasdiff: ['api-security-scope-removed', 'INFO']
  },
  {
    name: 'a scheme of security gets another name',
    before: doc({ security: [{ token: [] }] }, schemes),
    after: doc({ security: [{ b: [] }] }, {
      components: { securitySchemes: { b: { type: 'http', scheme: 'Bearer' } } }
    }),
    expected: nothing,
    oasdiff: ['api-security-component-added', 'INFO'],
    reason: 'it is the same'
  },

  // References
  {
    name: 'a schema becomes a reference to the same',
    before: body(card),
    after: body({ $ref: '#/components/schemas/Card' }, components({ Card: card })),
    expected: nothing,
    oasdiff: ['', 'none']
  },
  {
    name: 'a schema in a reference changes',
    before: answer({ $ref: '#/components/schemas/Card' }, components({ Card: card })),
    after: answer({ $ref: '#/components/schemas/Card' }, components({ Card: object({ number: text }) })),
    expected: breaking,
    oasdiff: ['response-required-property-removed', 'ERR']
  },
  {
    name: 'a schema that contains itself gets a property',
    before: answer(
      { $ref: '#/components/schemas/Tree' },
      components({ Tree: object({ next: { $ref: '#/components/schemas/Tree' } }) })
    ),
    after: answer(
      { $ref: '#/components/schemas/Tree' },
      components({ Tree: object({ name: text, next: { $ref: '#/components/schemas/Tree' } }) })
    ),
    expected: added,
    oasdiff: ['response-optional-property-added', 'INFO']
  },
  {
    name: 'an unused shared schema is removed',
    before: doc({}, components({ Card: card })),
    after: doc({}),
    expected: nothing,
    oasdiff: ['api-schema-removed', 'INFO'],
    reason: 'no request and no response has it'
  },
  {
    name: 'a reference to another document stays',
    before: body({ $ref: 'other.json#/a' }),
    after: body({ $ref: 'other.json#/a', description: 'a' }),
    expected: nothing,
    oasdiff: ['', 'none']
  },
  {
    name: 'a reference leads to another document',
    before: body({ $ref: 'other.json#/a' }),
    after: body({ $ref: 'other.json#/b' }),
    expected: breaking,
    oasdiff: ['', 'none'],
    reason: 'other documents are not read'
  }
]
