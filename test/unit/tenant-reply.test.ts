import { test } from 'tap'
import { approveValues } from '../../engine/tenant/duplicate-approve-check.ts'
import { readReply } from '../../engine/tenant/reply.ts'
import { TENANT_REPLY_BYTES_MAX } from '../../shared/limits.ts'
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'
import { fc } from '../harness/properties.ts'

const ID = 'iauth_1'
const read = (body: string | Uint8Array, status = 200) => readReply(status, Buffer.from(body), ID)
const answer = (body: unknown) => read(JSON.stringify(body)).answer!

const OUTCOMES: readonly [body: string | Uint8Array, outcome: TenantOutcome, status?: number][] = [
  ['{"approve":true}', 'answered_approve'],
  ['{"approve":true}', 'answered_approve', 201],
  ['{"approve":true}', 'answered_approve', 299],
  [' \n\t{ "approve" :\r\n true } ', 'answered_approve'],
  ['\ufeff{"approve":true}', 'answered_approve'],
  ['{"\\u0061pprove":true}', 'answered_approve'],
  ['{"approve":false}', 'answered_decline'],
  ['{"approve":false}', 'http_status', 199],
  ['{"approve":false}', 'http_status', 301],
  ['{"approve":false}', 'http_status', 403],
  ['{"approve":true}', 'http_status', 500],
  ['{"approve":true}', 'malformed_schema', 204],
  ['', 'malformed_schema', 204],
  ['', 'malformed_json'],
  ['approve', 'malformed_json'],
  ['{"approve":true', 'malformed_json'],
  ['{"approve":false', 'malformed_json'],
  ['{"approve":true}}', 'malformed_json'],
  ["{'approve':true}", 'malformed_json'],
  ['{"approve":true,}', 'malformed_json'],
  ['{"approve":NaN}', 'malformed_json'],
  ['<html>approve</html>', 'malformed_json'],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'malformed_json'],
  [Buffer.from('{"approve":true,"x":"\ud800"}', 'utf16le'), 'malformed_json'],
  ['{}', 'malformed_schema'],
  ['null', 'malformed_schema'],
  ['true', 'malformed_schema'],
  ['"approve"', 'malformed_schema'],
  ['[{"approve":true}]', 'malformed_schema'],
  ['{"approved":true}', 'malformed_schema'],
  ['{"Approve":true}', 'malformed_schema'],
  ['{"approve":"true"}', 'malformed_schema'],
  ['{"approve":1}', 'malformed_schema'],
  ['{"approve":null}', 'malformed_schema'],
  ['{"approve":[true]}', 'malformed_schema'],
  ['{"data":{"approve":true}}', 'malformed_schema'],
  ['{"__proto__":{"approve":true}}', 'malformed_schema'],
  ['{"a":"\\"approve\\":true","b":"approve"}', 'malformed_schema'],
  ['{"approve":false,"approve":true}', 'answered_decline'],
  ['{"approve":true,"approve":false}', 'answered_decline'],
  ['{"approve":true,"approve":true}', 'answered_approve'],
  ['{"\\u0061pprove":false,"approve":true}', 'answered_decline'],
  ['{"approv\\u0065":false,"x":{"approve":true},"approve":true}', 'answered_decline'],
  ['{"approve":true,"x":{"approve":false}}', 'answered_approve'],
  ['{"approve":true,"x":[{"approve":false}],"y":"\\\\"}', 'answered_approve'],
  ['{"approve":"no","approve":true}', 'malformed_schema'],
  ['{"approve":"no","approve":false}', 'answered_decline'],
  ['{"approve":false,"decline_reason":{"x":[1]},"metadata":7}', 'answered_decline'],
  [`{"approve":true,"x":${'['.repeat(8000)}${']'.repeat(8000)}}`, 'answered_approve'],
  [`{"approve":true}${' '.repeat(TENANT_REPLY_BYTES_MAX)}`, 'oversized'],
  ['{"approve":true}'.padEnd(TENANT_REPLY_BYTES_MAX), 'answered_approve'],
]

test('every kind of reply has its outcome', (t) => {
  for (const [body, outcome, status] of OUTCOMES) {
    const got = read(body, status)
    t.equal(got.outcome, outcome, `${status ?? 200} ${String(body).slice(0, 60)}`)
    t.equal(
      got.answer !== null,
      outcome.startsWith('answered'),
      'an answer exactly when it answered',
    )
  }
  t.end()
})

test('valid optional fields are kept', (t) => {
  const metadata = { order: '7', note: 'caf\u00e9 \u{1f600}' }
  t.same(
    answer({
      approve: true,
      decline_reason: 'x'.repeat(64),
      approved_amount_cents: Number.MAX_SAFE_INTEGER,
      metadata,
      request_id: ID,
    }),
    {
      approve: true,
      reason: 'x'.repeat(64),
      approvedAmountCents: Number.MAX_SAFE_INTEGER,
      metadata,
      dropped: [],
    },
  )
  t.same(answer({ approve: false, decline_reason: null, metadata: null }), {
    approve: false,
    reason: null,
    approvedAmountCents: null,
    metadata: null,
    dropped: [],
  })
  t.end()
})

test('invalid optional fields are dropped and named, and the answer stands', (t) => {
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => ['k' + index, 'v']))
  const bad: readonly [name: string, values: readonly unknown[]][] = [
    ['decline_reason', ['', 'x'.repeat(65), 7, {}, [], true, 'a\u0000b', 'a\nb', '\ud800']],
    ['approved_amount_cents', [0, -1, 1.5, 2 ** 53, '100', true, {}, 1e300]],
    [
      'metadata',
      [
        [],
        'x',
        { a: 1 },
        { a: null },
        { a: {} },
        keys(21),
        { a: 'x'.repeat(2048) },
        { ['x'.repeat(2049)]: '' },
        { a: '\u0000' },
        { '\ud800': 'x' },
        JSON.parse('{"__proto__":"x"}'),
      ],
    ],
    ['request_id', ['iauth_2', '', 1, {}]],
  ]
  for (const [name, values] of bad) {
    for (const value of values) {
      const got = answer({ approve: true, [name]: value })
      t.same(got.dropped, [name], `${name} ${JSON.stringify(value).slice(0, 40)}`)
      t.same([got.reason, got.approvedAmountCents, got.metadata], [null, null, null])
    }
  }
  t.same(answer({ approve: true, metadata: keys(20) }).metadata, keys(20))
  t.end()
})

test('prototype names in a reply change nothing', (t) => {
  const got = read(
    '{"approve":true,"__proto__":{"decline_reason":"x","metadata":{"a":"b"}},"constructor":{"prototype":{"approve":false}}}',
  )
  t.same(got.answer, {
    approve: true,
    reason: null,
    approvedAmountCents: null,
    metadata: null,
    dropped: [],
  })
  t.equal(({} as { decline_reason?: string }).decline_reason, undefined)
  t.end()
})

test('any bytes can be read without an exception', (t) => {
  const status = fc.integer({ min: 0, max: 999 })
  fc.assert(
    fc.property(status, fc.uint8Array({ maxLength: 300 }), (code, bytes) => {
      readReply(code, bytes, ID)
    }),
    { numRuns: 2000 },
  )
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    ' ',
    '"approve"',
    'true',
    'false',
    'null',
    '1',
    '\\u0061',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      read(text)
      // The scan expects JSON text.
      if (isJson(text)) approveValues(text)
    }),
    { numRuns: 5000 },
  )
  t.end()
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('a top-level approve:false declines whatever surrounds it', (t) => {
  const spellings = fc.constantFrom(
    '"approve"',
    '"\\u0061pprove"',
    '"appr\\u006Fve"',
    '"approv\\u0065"',
  )
  const other = fc.tuple(fc.string(), fc.jsonValue()).map(([name, value]) => {
    return JSON.stringify(name) + ':' + JSON.stringify(value)
  })
  const yes = spellings.map((name) => name + ' : true')
  const member = fc.oneof({ weight: 3, arbitrary: other }, { weight: 1, arbitrary: yes })
  const members = fc.array(member, { maxLength: 8 })
  fc.assert(
    fc.property(members, spellings, members, (before, name, after) => {
      const body = '{' + [...before, name + ':false', ...after].join(' , ') + '}'
      if (Buffer.byteLength(body) > TENANT_REPLY_BYTES_MAX) return
      const got = read(body)
      if (got.outcome !== 'answered_decline') throw new Error(body)
    }),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(members, (list) => {
      const got = read('{' + list.join(',') + '}')
      const parsed = JSON.parse('{' + list.join(',') + '}') as { approve?: unknown }
      if (got.outcome === 'answered_approve' && parsed.approve !== true)
        throw new Error(list.join())
    }),
    { numRuns: 2000 },
  )
  t.end()
})
