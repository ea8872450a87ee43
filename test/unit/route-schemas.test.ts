// The first request compiles the schemas of its route, so a start does not show a schema that the
// libraries refuse.
import { Ajv } from 'ajv'
import { test } from 'tap'
import { answerWriter } from '../../api/http/answer-schema.ts'
import { createValidators } from '../../api/http/gates/validate.ts'
import { ROUTES } from '../../api/routes.ts'
import { Type } from '../../shared/schema-builders.ts'
import { NetworkMessage } from '../../shared/schemas/network-message.ts'

/** No schema accepts it, so that a check always reaches the compiled schema. */
const NOTHING = Symbol('nothing')

test('every schema of every route compiles', (t) => {
  const validators = createValidators()
  for (const { method, paths, params, query, body, answer } of ROUTES) {
    const name = method + ' ' + paths[0]
    const parts = { params, querystring: query, ...(body !== null && { body }) }
    for (const [httpPart, schema] of Object.entries(parts)) {
      const value = httpPart === 'body' ? NOTHING : {}
      t.doesNotThrow(() => validators.compile({ schema, httpPart })(value), name)
    }
    if (answer === null) continue
    const write = answerWriter({ schema: answer })
    try {
      write({})
    } catch (error) {
      t.match(String(error), /required|anyOf|does not match/, name)
    }
  }
  t.end()
})

test('every schema of a route, and that of a message, fits the schema of schemas', (t) => {
  const ajv = new Ajv()
  const parts = ROUTES.flatMap(({ params, query, body, answer }) => [params, query, body, answer])
  const schemas = [...parts, NetworkMessage].filter((schema) => schema !== null)
  t.ok(schemas.length > 500)
  t.same(
    schemas.filter((schema) => ajv.validateSchema(schema) !== true),
    [],
  )
  t.equal(ajv.validateSchema({ type: 'text' }), false, 'a wrong one is noticed')
  t.end()
})

test('a choice of values or null is written inside a union too', (t) => {
  const choice = Type.Union([Type.Enum(['asked', 'ended']), Type.Null()])
  const write = answerWriter({
    schema: Type.Union([
      Type.Object({ object: Type.Literal('recovery'), reason: choice }),
      Type.Object({ object: Type.Literal('count') }),
    ]),
  })
  for (const reason of ['asked', null])
    t.same(JSON.parse(write({ object: 'recovery', reason })), { object: 'recovery', reason })
  t.throws(() => write({ object: 'recovery', reason: 'other' }))
  t.end()
})
