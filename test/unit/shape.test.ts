import { test } from 'tap'
import { Type } from '../../shared/schema-builders.ts'
import { hasShape, shapeFault } from '../../shared/shape.ts'

const Told = Type.Object({
  id: Type.String({ pattern: '^[a-z]{1,3}$' }),
  cents: Type.Optional(Type.Integer({ minimum: 0 })),
  at: Type.Union([Type.Integer(), Type.String({ format: 'date-time' })]),
})

test('a value has the shape of its schema, whatever else it holds', (t) => {
  t.ok(hasShape(Told, { id: 'ab', at: 1, further: true }))
  t.equal(shapeFault(Told, { id: 'ab', cents: 0, at: 'a format is not compared' }), null)
  t.end()
})

test('the fault of another value names its place', (t) => {
  for (const [value, fault] of [
    [{ id: 'ABC', at: 1 }, '/id must match pattern "^[a-z]{1,3}$"'],
    [{ id: 'ab', at: 1, cents: '1' }, '/cents must be integer'],
    [{ id: 'ab' }, "must have required property 'at'"],
    [undefined, 'must be object'],
  ] as const) {
    t.notOk(hasShape(Told, value))
    t.equal(shapeFault(Told, value), fault)
  }
  t.end()
})
