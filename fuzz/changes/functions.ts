type Json = ReturnType<JSON['parse']>

/** A type of members, and values of it, the last of which is in the example. */
export interface Type { readonly schema: object, readonly values: readonly unknown[] }

const object = (properties: object, more: object = {}) => ({
  type: 'object', properties, additionalProperties: false, ...more
})
const text = { type: 'string' }
const integer = { type: 'integer' }

export const TYPES = {
  text: { schema: text, values: ['', '7', 'Grace Hopper', 'Ada'] },
  cut: { schema: { ...text, maxLength: 5 }, values: ['', 'Grace', 'Ada'] },
  code: { schema: { ...text, pattern: '^[A-Z]{2}-?\\d+$' }, values: ['AB7', 'AB-12'] },
  int: { schema: integer, values: [0, -1, 1000, 7] },
  natural: { schema: { ...integer, minimum: 0 }, values: [0, 1000, 7] },
  number: { schema: { type: 'number' }, values: [0, 19.99, -2, 0.5] },
  bool: { schema: { type: 'boolean' }, values: [false, true] },
  list: { schema: { type: 'array', items: text }, values: [[], ['a'], ['b', 'a'], ['a', 'b']] },
  list1: { schema: { type: 'array', minItems: 1, items: text }, values: [['a'], ['b', 'a'], ['a', 'b']] },
  nullable: { schema: { type: ['string', 'null'] }, values: [null, '', 'x'] },
  kind: { schema: { enum: ['a', 'b', 'c'] }, values: ['b', 'c', 'a'] },
  upper: { schema: { enum: ['A', 'B', 'C'] }, values: ['B', 'C', 'A'] },
  yes: { schema: { enum: ['yes', 'no'] }, values: ['no', 'yes'] },
  time: { schema: { ...text, format: 'date-time' }, values: ['2026-06-01T00:00:00Z', '2026-01-31T12:00:00+02:00'] },
  part: { schema: object({ v: text, w: integer }), values: [{}, { v: 'a' }, { w: 0 }, { v: 'b', w: 1 }] },
  whole: { schema: object({ v: text }, { required: ['v'] }), values: [{ v: '' }, { v: 'a' }] },
  open: {
    schema: { type: 'object', properties: { v: text }, additionalProperties: true },
    values: [{}, { v: 'a' }, { v: 'b', z: 1 }]
  },
  parts: {
    schema: { type: 'array', items: object({ v: text, w: integer }) },
    values: [[], [{}], [{ v: 'b', w: 1 }, { v: 'a' }], [{ v: 'a', w: 2 }, { v: 'b', w: 1 }]]
  },
  map: { schema: { type: 'object', additionalProperties: text }, values: [{}, { 'ä /': '' }, { a: 'x', b: 'y' }] },
  pairs: {
    schema: { type: 'array', items: object({ k: text, v: text }, { required: ['k', 'v'] }) },
    values: [[], [{ k: 'a', v: '' }, { k: 'a', v: 'x' }], [{ k: 'a', v: 'x' }]]
  },
  union: {
    schema: { anyOf: [text, object({ on: text }, { required: ['on'] })] }, values: [{ on: 'b' }, { on: '' }, '', 'a']
  },
  kinds: {
    schema: {
      anyOf: [
        object({ kind: { const: 'a' }, a: text }, { required: ['kind', 'a'] }),
        object({ kind: { const: 'b' }, b: integer }, { required: ['kind'] })
      ]
    },
    values: [{ kind: 'b' }, { kind: 'b', b: 1 }, { kind: 'a', a: 'a' }]
  }
} satisfies Record<string, Type>

export type TypeName = keyof typeof TYPES

/** How a member is converted. */
export interface MemberOp {
  readonly newer: TypeName
  readonly older: TypeName
  readonly up: (value: Json) => unknown
  readonly down: (value: Json) => unknown
  /** Whether it is right, by whether the older member is required, and the newer one; null for a matter of taste. */
  readonly isRight: (older: boolean, newer: boolean) => boolean | null
}

const always = () => true
const never = () => false
const taste = () => null
const alike = (older: boolean, newer: boolean) => older === newer
const ifBoth = (older: boolean, newer: boolean) => older && newer ? true : null
const same = (value: Json): unknown => value
const op = (
  newer: TypeName, older: TypeName, up: MemberOp['up'], down: MemberOp['down'], isRight: MemberOp['isRight'] = always
): MemberOp => ({ newer, older, up, down, isRight })
const or = (byDefault: unknown) => (value: Json): unknown => value ?? byDefault
const isCode = (value: unknown) => /^[A-Z]{2}-?\d+$/.test(String(value))
const toMap = (pairs: Json): Json => Object.fromEntries(pairs.map(({ k, v }: Json) => [k, v]))
const LOWER: Json = { A: 'a', B: 'b', C: 'c' }
const UPPER: Json = { a: 'A', b: 'B', c: 'C' }

/** Functions as people write them: right ones, ones that are right where members are required, and wrong ones. */
export const MEMBER_OPS: readonly MemberOp[] = [
  ...(Object.keys(TYPES) as TypeName[]).flatMap((name) => [
    op(name, name, same, same, alike), op(name, name, or(TYPES[name].values[0]), or(TYPES[name].values.at(-1)))
  ]),
  op('list1', 'text', (x) => [x ?? ''], (x) => x?.[0] ?? ''),
  op('list', 'text', (x) => x === undefined ? [] : [x], (x) => x?.[0] ?? ''),
  op('list1', 'text', (x) => [x], (x) => x[0], ifBoth),
  op('list', 'text', (x) => [x], (x) => x[0], never),
  op('list', 'text', (x) => x === undefined ? undefined : [x], (x) => x?.[0], taste),
  op('text', 'list', (x) => x?.join(',') ?? '', (x) => x ? x.split(',') : []),
  op('text', 'list', (x) => (x ?? []).join(','), (x) => x, never),
  op('nullable', 'text', (x) => x ?? null, (x) => x ?? ''),
  op('text', 'nullable', (x) => x ?? '', (x) => x || null),
  op('text', 'nullable', (x) => x, (x) => x ?? null, never),
  op('nullable', 'text', same, (x) => x.toUpperCase(), never),
  op('nullable', 'text', same, (x) => x, never),
  op('kind', 'text', () => 'a', (x) => x ?? 'a'),
  op('text', 'kind', (x) => x ?? 'a', (x) => ['a', 'b', 'c'].includes(x) ? x : 'a'),
  op('text', 'kind', same, same, never),
  op('text', 'kind', same, (x) => x === undefined ? x : 'a', taste),
  op('kind', 'text', same, (x) => ({ a: 'A', b: 'B' } as Json)[x].trim(), never),
  op('kind', 'upper', (x) => LOWER[x ?? 'A'], (x) => UPPER[x ?? 'a']),
  op('kind', 'upper', (x) => LOWER[x], (x) => UPPER[x], alike),
  op('kind', 'upper', (x) => x?.toLowerCase(), (x) => x, never),
  op('kind', 'upper', (x) => LOWER[x], (x) => ({ a: 'A', b: 'B' } as Json)[x], taste),
  op('yes', 'bool', (x) => x === true ? 'yes' : 'no', (x) => x === 'yes'),
  op('bool', 'yes', (x) => x === 'yes', (x) => x ? 'yes' : 'no'),
  op('text', 'bool', (x) => String(x ?? false), (x) => x === 'true'),
  op('text', 'bool', (x) => String(x), (x) => x === 'true', taste),
  op('bool', 'text', same, same, never),
  op('text', 'int', (x) => String(x ?? 0), (x) => Number.isInteger(Number(x)) ? Number(x) : 0),
  op('text', 'int', (x) => String(x), (x) => Number(x), never),
  op('text', 'int', (x) => x === undefined ? x : String(x), (x) => x?.length, alike),
  op('text', 'int', (x) => `${x ?? 0} rooms`, (x) => Number.parseInt(x, 10) || 0),
  op('text', 'int', (x) => `${x} rooms`, (x) => Number.parseInt(x, 10) || 0, (older) => older ? true : null),
  op('text', 'int', same, same, never),
  op('int', 'text', (x) => x?.length ?? 0, (x) => x === undefined ? '' : `${x}`),
  op('int', 'number', (x) => Math.round((x ?? 0) * 100), (x) => (x ?? 0) / 100),
  op('int', 'number', (x) => (x ?? 0) * 100, (x) => (x ?? 0) / 100, never),
  op('number', 'int', (x) => x ?? 0, (x) => Math.trunc(x ?? 0)),
  op('number', 'int', same, same, never),
  op('natural', 'int', (x) => Math.max(0, x ?? 0), (x) => x ?? 0),
  op('natural', 'int', (x) => x ?? 0, (x) => x ?? 0, never),
  op('cut', 'text', (x) => (x ?? '').slice(0, 5), (x) => x ?? ''),
  op('cut', 'text', (x) => x ?? '', (x) => x ?? '', never),
  op('code', 'text', (x) => isCode(x) ? x : 'AA0', (x) => x ?? ''),
  op('code', 'text', (x) => x ?? 'AA0', (x) => x ?? '', never),
  op('text', 'code', (x) => x ?? '', (x) => isCode(x) ? x : 'AA0'),
  op('text', 'code', (x) => x ?? '', (x) => x ?? 'AA0', never),
  op('time', 'int', (x) => new Date(x ?? 0).toISOString(), (x) => x === undefined ? 0 : Date.parse(x)),
  op('time', 'int', (x) => new Date(x).toISOString(), (x) => Date.parse(x), ifBoth),
  op('text', 'time', (x) => x ?? '', (x) => x, never),
  op('int', 'time', (x) => Date.parse(x ?? '2026-01-01T00:00:00Z'), (x) => new Date(x ?? 0).toISOString()),
  op('part', 'text', (x) => ({ v: x }), (x) => x?.v ?? ''),
  op('part', 'int', (x) => ({ w: x }), (x) => x?.w ?? 0),
  op('part', 'text', (x) => x && { v: x }, (x) => x?.v, taste),
  op('part', 'text', (x) => ({ v: x }), (x) => x.v.trim(), never),
  op('part', 'int', (x) => ({ z: x }), (x) => x?.w, never),
  op('whole', 'text', (x) => ({ v: x ?? '' }), (x) => x?.v ?? ''),
  op('whole', 'text', (x) => ({ v: x }), (x) => x.v, ifBoth),
  op('text', 'part', (x) => x?.v ?? '', (x) => ({ v: x })),
  op('text', 'part', (x) => x?.v ?? '', (x) => ({ vv: x }), never),
  op('part', 'whole', (x) => ({ v: x?.v ?? '', w: 1 }), (x) => ({ v: x?.v ?? '' })),
  op('part', 'whole', (x) => x ?? {}, (x) => x ?? { v: '' }, never),
  op('part', 'open', (x) => ({ v: x?.v }), (x) => ({ ...x, z: 2 })),
  op('part', 'part', (x) => x ?? {}, (x) => { if (x !== undefined) x.w = 5; return x ?? {} }, never),
  op('part', 'part', (x) => x ?? {}, (x) => { delete x?.v; return x ?? {} }, never),
  op('parts', 'list', (x) => (x ?? []).map((v: string) => ({ v })), (x) => (x ?? []).map(({ v = '' }) => v)),
  op('parts', 'list', (x) => (x ?? []).map((v: string) => ({ v })), (x) => (x ?? []).map(({ v }: Json) => v), never),
  op('list', 'parts', (x) => (x ?? []).map(({ v = '' }) => v), (x) => (x ?? []).map((v: string) => ({ v }))),
  op('parts', 'parts', (x) => x ?? [], (x) => (x ?? []).map((part: Json) => ({ ...part, w: 0 }))),
  op('parts', 'parts', (x) => x ?? [], (x) => {
    for (const part of x ?? []) delete part.w
    return x ?? []
  }, never),
  op('list', 'list', (x) => x ?? [], (x) => (x ?? []).sort(), never),
  op('list', 'list', (x) => x ?? [], (x) => (x ?? []).toSorted()),
  op('pairs', 'map', (x) => Object.entries(x ?? {}).map(([k, v]) => ({ k, v })), (x) => toMap(x ?? [])),
  op('pairs', 'map', (x) => Object.entries(x).map(([k, v]) => ({ k, v })), (x) => toMap(x), ifBoth),
  op('map', 'pairs', (x) => toMap(x ?? []), (x) => Object.entries(x ?? {}).map(([k, v]) => ({ k, v }))),
  op('map', 'pairs', (x) => toMap(x ?? []), (x) => Object.entries(x ?? {}).map(([k]) => ({ k })), never),
  op('map', 'map', (x) => x ?? {}, (x) => {
    for (const key in x ?? {}) x[key] = String(x[key])
    return x ?? {}
  }, never),
  op('union', 'text', (x) => x ?? '', (x) => typeof x === 'object' ? x.on : x ?? ''),
  op('union', 'text', (x) => x ?? '', (x) => x === undefined ? '' : x.trim(), never),
  op('text', 'union', (x) => typeof x === 'object' ? x.on : x ?? '', (x) => ({ on: x ?? '' })),
  op('kinds', 'text', (x) => ({ kind: 'a', a: x ?? '' }), (x) => x?.kind === 'a' ? x.a : String(x?.b ?? '')),
  op('kinds', 'text', (x) => ({ kind: 'a', a: x ?? '' }), (x) => x === undefined ? '' : x.a.trim(), never),
  op('kinds', 'int', (x) => ({ kind: 'b', b: x }), (x) => x?.kind === 'b' ? x.b : 0, taste),
  op('text', 'kinds', (x) => x?.a ?? '', (x) => ({ kind: 'a', a: x ?? '' })),
  op('text', 'kinds', (x) => x?.a ?? '', (x) => ({ kind: 'a', b: x ?? '' }), never)
]
