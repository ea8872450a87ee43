import { test } from 'tap'
import { Type as Original } from 'typebox'
import { Type } from '../../shared/schema-builders.ts'

type Builders = typeof Type

/** Each builder without and with options, and those that look into schemas around each other. */
function built({ Object: object, Record: record, Union: union, ...build }: Builders): object[] {
  const text = build.String({ minLength: 1, pattern: '^a+$', description: 'A text.' })
  const fields = {
    number: build.Number({ exclusiveMinimum: 0 }),
    whole: build.Optional(build.Integer({ minimum: 1, maximum: 9 })),
    values: build.Optional(union([build.Array(text, { maxItems: 3 }), build.Null()])),
    any: build.Unknown({ description: 'Anything.' }),
  }
  return [
    ...[build.Boolean(), build.Integer(), build.Null(), build.Number(), build.String()],
    ...[build.Unknown(), build.Array(text), build.Optional(text), union([text], { title: 'One' })],
    ...[build.Literal('a'), build.Literal(1, { description: 'One.' }), build.Literal(true)],
    ...[build.Enum(['a', 'b']), build.Enum(['a'], { description: 'A.' })],
    ...[object({}), object(fields), object(fields, { additionalProperties: false })],
    ...[object({ alone: build.Optional(text) }), object({ inner: object(fields) })],
    build.Partial(object(fields)),
    build.Partial(object(fields, { description: 'Left out.' }), { additionalProperties: false }),
    ...[record(build.String(), text), record(text, text, { maxProperties: 3 })],
  ]
}

test('a builder of ours writes the schema that the one of typebox writes', (t) => {
  const ours = built(Type).map((schema) => JSON.stringify(schema))
  t.same(
    ours,
    built(Original as Builders).map((schema) => JSON.stringify(schema)),
  )
  t.end()
})
