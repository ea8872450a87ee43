// The first request compiles the schemas of its route, so a start does not show a schema that the
// libraries refuse.
import { test } from 'tap'
import { answerWriter } from '../../api/http/answer-schema.ts'
import { createValidators } from '../../api/http/gates/validate.ts'
import { ROUTES } from '../../api/routes.ts'

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
