import { test } from 'tap'
import { PATTERN_WORDS } from '../../api/http/gates/pattern-words.ts'
import { schemaRefusal } from '../../api/http/gates/validate.ts'
import { ROUTES } from '../../api/routes.ts'

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = Reflect.get(schema, 'pattern')
  const inner = Object.values(schema).flatMap(patternsIn)
  return typeof own === 'string' ? [own, ...inner] : inner
}

const SENT = new Set(ROUTES.flatMap(({ body, query }) => patternsIn([body, query])))

test('each pattern of a request has words, and no words are left over', (t) => {
  t.ok(SENT.size > 25)
  t.same(
    [...SENT].filter((pattern) => PATTERN_WORDS[pattern] === undefined),
    [],
  )
  t.same(
    Object.keys(PATTERN_WORDS).filter((pattern) => !SENT.has(pattern)),
    [],
  )
  t.end()
})

test('a refusal says in words which form is accepted, never as an expression', (t) => {
  for (const [pattern, words] of Object.entries(PATTERN_WORDS)) {
    const fault = { instancePath: '/field', keyword: 'pattern', params: { pattern } }
    const { message } = schemaRefusal([fault], 'body')
    t.equal(message, 'This field ' + words + '.')
    t.match(message, /^This field must be /)
    t.notMatch(message, /[\\^[\]{}$*]/)
  }
  t.end()
})

test('a pattern of several fields names none of them', (t) => {
  t.equal(PATTERN_WORDS['^[0-9]{4}$'], 'must be four digits, for example 5411')
  t.end()
})
