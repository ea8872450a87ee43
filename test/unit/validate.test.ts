import { test } from 'tap'
import { createValidators, type SchemaFault, schemaRefusal } from '../../api/http/gates/validate.ts'
import { closed } from '../../api/http/route.ts'
import { Type } from '../../shared/schema-builders.ts'

const BODY = closed({
  name: Type.String(),
  count: Type.Optional(Type.Integer()),
  limits: Type.Optional(Type.Array(closed({ amount: Type.Integer({ minimum: 0 }) }))),
})

function refusalOf(schema: object, httpPart: string, value: unknown): [string, unknown] | null {
  const validate = createValidators().compile({ schema, httpPart }) as {
    (value: unknown): boolean
    errors?: SchemaFault[]
  }
  if (validate(value)) return null
  const { code, detail } = schemaRefusal(validate.errors ?? [], httpPart)
  return [code, detail.param ?? null]
}

test('a body is refused with the name of the field, and never coerced or stripped', (t) => {
  const table: [unknown, [string, unknown] | null][] = [
    [{ name: 'a' }, null],
    [{}, ['parameter_missing', 'name']],
    [{ name: 'a', other: 1 }, ['parameter_unknown', 'other']],
    [{ name: 'a', 'x/y~z': 1 }, ['parameter_unknown', 'x/y~z']],
    [JSON.parse('{"name":"a","__proto__":{}}'), ['parameter_unknown', '__proto__']],
    [{ name: 1 }, ['parameter_invalid', 'name']],
    [{ name: 'a', count: '1' }, ['parameter_invalid', 'count']],
    [{ name: 'a', count: null }, ['parameter_invalid', 'count']],
    [{ name: 'a', count: 1.5 }, ['parameter_invalid', 'count']],
    [
      { name: 'a', limits: [{ amount: 1 }, { amount: -1 }] },
      ['parameter_invalid', '/limits/1/amount'],
    ],
    [{ name: 'a', limits: [{}] }, ['parameter_missing', '/limits/0/amount']],
    [[], ['parameter_invalid', null]],
    [null, ['parameter_invalid', null]],
    ['a', ['parameter_invalid', null]],
  ]
  for (const [value, expected] of table) {
    t.same(refusalOf(BODY, 'body', value), expected, JSON.stringify(value))
  }
  t.end()
})

test('a bound that is passed is named in words', (t) => {
  const text = { minLength: 1, maxLength: 3 }
  const fields = closed({
    text: Type.Optional(Type.String(text)),
    list: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 9 }), { maxItems: 2 })),
    some: Type.Optional(Type.Array(Type.Integer(), { minItems: 1 })),
  })
  for (const [value, words] of [
    [{ text: '' }, 'have at least 1 character'],
    [{ text: 'abcd' }, 'have at most 3 characters'],
    [{ list: [0] }, 'be at least 1'],
    [{ list: [10] }, 'be at most 9'],
    [{ list: [1, 2, 3] }, 'have at most 2 items'],
    [{ some: [] }, 'have at least 1 item'],
  ] as const) {
    const validate = createValidators().compile({ schema: fields, httpPart: 'body' }) as {
      (value: unknown): boolean
      errors?: SchemaFault[]
    }
    t.equal(validate(value), false)
    t.equal(schemaRefusal(validate.errors ?? [], 'body').message, 'This field must ' + words + '.')
  }
  t.end()
})

test('query text gets the type of its schema, and an impossible id reads like an absent one', (t) => {
  t.equal(refusalOf(closed({ count: Type.Integer() }), 'querystring', { count: '12' }), null)
  t.same(refusalOf(closed({ count: Type.Integer() }), 'querystring', { count: 'x' }), [
    'parameter_invalid',
    'count',
  ])
  t.same(refusalOf(closed({ count: Type.Integer() }), 'querystring', { count: ['1', '2'] }), [
    'parameter_invalid',
    'count',
  ])
  for (const count of [
    '0x10',
    '1e1',
    '+5',
    ' 5',
    '5 ',
    '05',
    '5.0',
    '-0',
    'Infinity',
    '',
    '1'.repeat(20),
  ]) {
    t.same(
      refusalOf(closed({ count: Type.Integer() }), 'querystring', { count }),
      ['parameter_invalid', 'count'],
      count,
    )
  }
  t.same(refusalOf(closed({ id: Type.String({ maxLength: 3 }) }), 'params', { id: 'abcd' }), [
    'resource_missing',
    null,
  ])
  t.end()
})

interface Reported {
  code: string
  param: string | null
}

function reported(schema: object, value: unknown): [string, string | null][] {
  const validate = createValidators().compile({ schema, httpPart: 'body' }) as {
    (value: unknown): boolean
    errors?: SchemaFault[]
  }
  if (validate(value)) return []
  const { code, detail } = schemaRefusal(validate.errors ?? [], 'body')
  const errors = (detail.extra?.['errors'] ?? []) as Reported[]
  const [first] = errors
  if (first?.code !== code || first.param !== (detail.param ?? null))
    throw new Error('the first of the faults is the refusal itself')
  return errors.map((fault) => [fault.code, fault.param])
}

test('all faults of a body are reported at once, each field once', (t) => {
  t.same(reported(BODY, { count: '1', other: 1, limits: [{ amount: -1 }, { extra: 1 }] }), [
    ['parameter_missing', 'name'],
    ['parameter_unknown', 'other'],
    ['parameter_invalid', 'count'],
    ['parameter_invalid', '/limits/0/amount'],
    ['parameter_missing', '/limits/1/amount'],
    ['parameter_unknown', '/limits/1/extra'],
  ])
  t.end()
})

test('only the form whose type matches is reported for a value with several forms', (t) => {
  const WindowRef = closed({ city: Type.String(), zip: Type.Integer() })
  const schema = closed({ place: Type.Union([Type.Null(), WindowRef]), note: Type.String() })
  t.same(reported(schema, { place: { city: 1 }, note: 2 }), [
    ['parameter_missing', '/place/zip'],
    ['parameter_invalid', '/place/city'],
    ['parameter_invalid', 'note'],
  ])
  t.same(reported(schema, { place: 7, note: 2 }), [
    ['parameter_invalid', 'place'],
    ['parameter_invalid', 'note'],
  ])
  t.end()
})

test('a report is short, and a large body is checked up to its first fault only', (t) => {
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => ['f' + index, 1]))
  t.equal(reported(BODY, many).length, 10)
  const limits = Array.from({ length: 501 }, () => ({ amount: -1 }))
  t.same(reported(BODY, { name: 'a', limits }), [['parameter_invalid', '/limits/0/amount']])
  const long = { name: 'a'.repeat(20_000), count: 'x', other: 1 }
  t.equal(reported(BODY, long).length, 1)
  t.end()
})
