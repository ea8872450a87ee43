import { test } from 'tap'
import { permits } from '../../api/http/gates/permit.ts'
import { limitHeaders } from '../../api/http/rate/answer.ts'
import { LIMITS } from '../../api/http/rate/limits.ts'
import { TokenBucket } from '../../api/http/rate/token-bucket.ts'
import type { Bucket } from '../../api/http/route.ts'
import { ROUTES } from '../../api/routes.ts'
import { fc } from '../harness/properties.ts'

const ROUNDS = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 90_000 }),
    calls: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 1, maxLength: 30 },
)

test('a bucket follows Spec 8, counted in whole sixtieths of a millisecond', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), ROUNDS, (limit, rounds) => {
      // Exact: a token has 60,000 parts, and a millisecond brings `limit` of them.
      let parts = 2 * limit * 60_000
      let now = 1_000_000
      const bucket = new TokenBucket('read', limit, now)
      for (const { afterMs, calls } of rounds) {
        now += afterMs
        parts = Math.min(2 * limit * 60_000, parts + afterMs * limit)
        for (let call = 0; call < calls; call++) {
          const { waitMs, rateLimitStatus } = bucket.take(now)
          const passes = parts >= 60_000
          if (passes) parts -= 60_000
          const exactWaitMs = passes ? 0 : Math.ceil((60_000 - parts) / limit)
          // One more, because rounding could fail the call.
          if (waitMs < exactWaitMs || waitMs > exactWaitMs + (passes ? 0 : 1)) return false
          const remaining = Math.max(0, Math.floor(parts / 60_000) - limit)
          if (Math.abs(rateLimitStatus.remaining - remaining) > 1) return false
        }
      }
      return true
    }),
  )
  t.end()
})

test('the next call passes after the stated wait, and one millisecond earlier it does not', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(59_999), (limit, startMs) => {
      const bucket = new TokenBucket('read', limit, startMs)
      for (let call = 0; call < 2 * limit; call++) bucket.take(startMs)
      const { waitMs } = bucket.take(startMs)
      const early = bucket.take(startMs + waitMs - 2)
      return waitMs > 0 && early.waitMs > 0 && bucket.take(startMs + waitMs).waitMs === 0
    }),
  )
  t.end()
})

test('the remaining number falls from the limit to 0, and then the burst still serves', (t) => {
  const bucket = new TokenBucket('read', 1000, 0)
  const told = Array.from({ length: 2001 }, () => bucket.take(0))
  t.same(
    [0, 1, 999, 1000, 1999, 2000].map((call) => told[call]?.rateLimitStatus.remaining),
    [999, 998, 0, 0, 0, 0],
  )
  t.equal(told[1999]?.waitMs, 0)
  t.equal(told[2000]?.waitMs, 61, 'a thousandth of a minute, and what rounding may cost')
  t.same(limitHeaders(told[2000]!.rateLimitStatus, 500), {
    'X-RateLimit-Limit': '1000',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '121',
    'X-RateLimit-Resource': 'read',
  })
  t.end()
})

test('limits are those of Spec 8', (t) => {
  t.same(LIMITS, {
    read: 1000,
    passes_write: 500,
    cards_write: 200,
    settlements_write: 100,
    templates_write: 60,
    payments_write: 500,
    admin_write: 60,
    count: 60,
    auth: 60,
  })
  t.end()
})

/** Buckets that do not follow from method, scope and resource. */
const OTHER_BUCKETS: { readonly [call: string]: Bucket } = {
  'POST /v1/pass_templates/preview': 'read',
  'POST /v1/pass_templates/:id/preview': 'read',
  'GET /v1/audit_log/verify': 'count',
  'GET /operator/v1/audit_log/verify': 'count',
  'GET /v1/passes/count': 'count',
}

/** Paths whose writes have a bucket of their own. */
const WRITES: { readonly [begin: string]: Bucket } = {
  '/v1/pass_templates': 'templates_write',
  '/v1/pass_images': 'templates_write',
  '/v1/passes': 'passes_write',
  '/v1/scanners': 'passes_write',
  '/v1/settlement_accounts': 'settlements_write',
  '/v1/payment_accounts': 'payments_write',
  '/v1/payment_mandates': 'payments_write',
  '/v1/payment_withdrawals': 'payments_write',
  '/v1/payments': 'payments_write',
  '/v1/simulate/payment_accounts': 'payments_write',
  '/v1/simulate/settlement_accounts': 'payments_write',
}

function writeBucket(path: string, scope: unknown): Bucket {
  const begin = Object.keys(WRITES).find((start) => path === start || path.startsWith(start + '/'))
  if (begin !== undefined) return WRITES[begin] as Bucket
  return scope === 'admin' ? 'admin_write' : 'cards_write'
}

test('every route counts in its bucket', (t) => {
  for (const { method, paths, scope, bucket } of ROUTES) {
    const call = method + ' ' + paths[0]
    const usual = method === 'GET' ? 'read' : writeBucket(paths[0] ?? '', scope)
    t.equal(bucket, OTHER_BUCKETS[call] ?? usual, call)
  }
  t.same(
    Object.keys(OTHER_BUCKETS).filter(
      (call) => !ROUTES.some(({ method, paths }) => call === method + ' ' + paths[0]),
    ),
    [],
    'the table names no route that is gone',
  )
  t.end()
})

test('a scope covers the narrower ones, and a family’s scope only that family', (t) => {
  const route = { scope: 'write', family: 'card', method: 'POST', paths: ['/v1/cards'] } as const
  const allows = (granted: readonly string[], of: Parameters<typeof permits>[1] = route) =>
    permits({ granted, environment: 'live' }, of)
  for (const granted of ['write', 'admin', 'card:write', 'card:admin'])
    t.ok(allows([granted]), granted)
  for (const granted of ['read', 'card:read', 'pass:write', 'null:write', 'card', 'write:card', ''])
    t.notOk(allows([granted]), granted)
  t.ok(allows(['pass:read', 'card:write']))
  t.notOk(allows([]))
  t.notOk(allows(['card:admin'], { ...route, scope: 'read', family: null }))
  t.end()
})
