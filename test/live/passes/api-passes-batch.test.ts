// Many passes in one call, and scans.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { issuePasses } from '../../../api/passes/passes/create.ts'
import type { PassContext } from '../../../api/passes/passes/index.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { unseal } from '../../../shared/keyring.ts'
import { type Answer, MASTER_KEYS, type TestApi } from '../../harness/api.ts'
import { counting, type Work } from '../../harness/counting.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { caller, done, eventsOf, issuePass, makeTemplate } from '../../harness/passes.ts'

type Body = Answer['body']

function codes(batch: Body): (string | null)[] {
  return batch.data.map(({ index, status, pass, error }: Body, at: number) => {
    if (index !== at || (status === 'ok') !== (pass !== undefined)) throw new Error('out of order')
    return error?.code ?? null
  })
}

async function eventTypes(api: TestApi): Promise<string[]> {
  const { body } = await api.call('GET', '/v1/events?order=asc&limit=100', {
    key: api.tenant.keys.read,
  })
  return body.data.map(({ type }: Body) => type)
}

test('a batch issues valid passes with one result per part, and a refused part stops no other', async (t) => {
  const api = await startIssuingApi()
  const { get, post } = caller(api)
  const { id: template_id } = await makeTemplate(api)
  const { id: archived } = await makeTemplate(api)
  done(await post('pass_templates/' + archived + '/archive'))
  const { id: taken } = await issuePass(api, { template_id, external_id: 'a' })
  const before = (await eventTypes(api)).length
  const passes = [
    { template_id, external_id: 'b', values: { points: '1' } },
    { template_id, external_id: 'a' },
    { template_id, external_id: 'b' },
    { template_id: 'ptpl_nobody' },
    { template_id: archived },
    { template_id, card_id: api.other.cardId },
    { template_id, shine: true },
    {},
    'pass',
    { template_id, expires_at: 'soon' },
    { template_id, holder_name: 'Ada' },
  ]
  const headers = { 'idempotency-key': 'batch-1' }
  const answer = await post('passes/batch', { passes }, headers)
  const batch = done(answer)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('x-ratelimit-resource'), 'passes_write')
  t.match(batch, { object: 'pass_batch', succeeded: 2, failed: 9 })
  t.same(codes(batch), [
    null,
    ...['already_exists', 'already_exists', 'resource_missing', 'template_archived'],
    ...['parameter_invalid', 'parameter_unknown', 'parameter_missing', 'parameter_invalid'],
    ...['parameter_invalid', null],
  ])
  t.same(
    batch.data.map(({ error }: Body) => error?.param ?? null),
    [
      ...[null, 'external_id', 'external_id', 'template_id', 'template_id', 'card_id', 'shine'],
      ...['template_id', null, 'expires_at', null],
    ],
  )
  const { pass } = batch.data[0]
  t.same((await get('passes/' + pass.id)).body, pass)
  t.same((await eventTypes(api)).slice(before), ['pass.created', 'pass.created'])
  t.same(await eventsOf(api, pass.id, 'pass.created').then(([event]) => event?.data.pass), pass)

  const again = await post('passes/batch', { passes }, headers)
  t.equal(again.text, answer.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal((await get('passes/count')).body.count, 3)
  for (const wrong of [{}, { passes: [] }, { passes: Array(101).fill({ template_id }) }])
    t.match(await post('passes/batch', wrong), {
      status: 400,
      body: { error: { param: 'passes' } },
    })
  t.match((await get('passes/' + taken)).body, { external_id: 'a' })
})

test('a hundred passes count as one call, and leave the same rows as single calls', async (t) => {
  const api = await startIssuingApi()
  const { post } = caller(api)
  const { id: template_id } = await makeTemplate(api)
  const first = await post('passes/batch', { passes: Array(100).fill({ template_id }) })
  const second = await post('passes/batch', { passes: Array(100).fill({ template_id }) })
  const remaining = [first, second].map(({ headers }) =>
    Number(headers.get('x-ratelimit-remaining')),
  )
  t.ok((remaining[0] ?? 0) - (remaining[1] ?? 0) <= 1, remaining.join(' '))
  const pass = first.body.data[0].pass
  const single = await issuePass(api, { template_id })
  const [lanes] = await api.sql`
    select (select lane from event_outbox o join events e on e.id = o.event_id where e.resource_id = ${pass.id}) as batch,
      (select lane from event_outbox o join events e on e.id = o.event_id where e.resource_id = ${single.id}) as single`
  t.same(lanes, { batch: 1, single: 0 }, 'nobody waits behind a batch for a single pass')
})

test('a batch of changes and a batch of revocations apply every valid part', async (t) => {
  const api = await startIssuingApi()
  const { get, post } = caller(api)
  const { id: template_id } = await makeTemplate(api)
  const made = done(
    await post('passes/batch', {
      passes: ['a', 'b', 'c', 'd'].map((external_id) => ({ template_id, external_id })),
    }),
  )
  const [a, b, c, d] = made.data.map(({ pass }: Body) => pass.id)
  const foreign = done(
    await caller(api, api.other).post('passes', {
      template_id: done(
        await caller(api, api.other).post('pass_templates', {
          ...{ name: 'T', style: 'coupon', organization_name: 'S', description: 'D' },
        }),
      ).id,
    }),
  )
  done(await post('passes/' + d + '/revoke', { reason: 'gone' }))
  const passes = [
    { id: a, values: { points: '7' }, external_id: 'z' },
    { id: b, external_id: 'a' },
    { id: c, external_id: 'b' },
    { id: c, holder_name: 'Twice' },
    { id: d, holder_name: 'Late' },
    { id: foreign.id, holder_name: 'Theirs' },
    { id: 'pass_nobody', holder_name: 'Nobody' },
    { id: a },
    { id: b, holder_name: null },
  ]
  const batch = done(await post('passes/batch_update', { passes }))
  t.same(codes(batch), [
    ...[null, 'already_exists', 'already_exists', 'parameter_invalid', 'invalid_state'],
    ...['resource_missing', 'resource_missing', 'parameter_invalid', 'parameter_invalid'],
  ])
  t.same((await get('passes/' + a)).body, batch.data[0].pass)
  t.equal((await eventsOf(api, a, 'pass.updated')).length, 1)
  t.equal((await eventsOf(api, b, 'pass.updated')).length, 0)

  const ids = [a, d, 'pass_nobody', foreign.id, a, c]
  const revoked = done(await post('passes/batch_revoke', { ids, reason: 'end' }))
  t.match(revoked, { succeeded: 4, failed: 2 })
  t.same(codes(revoked), [null, null, 'resource_missing', 'resource_missing', null, null])
  t.match(revoked.data[1].pass, { revoke_reason: 'gone' }, 'the first reason stays')
  t.same((await get('passes/' + a)).body, revoked.data[0].pass)
  t.equal((await eventsOf(api, a, 'pass.revoked')).length, 1)
  const many = Array.from({ length: 1001 }, (_, index) => 'pass_' + index)
  t.equal((await post('passes/batch_revoke', { ids: many })).status, 400)
  t.equal((await post('passes/batch_revoke', { ids: many.slice(1) })).body.failed, 1000)
  t.equal((await get('passes/count?status=revoked')).body.count, 3)
})

test('a scan returns the pass it read, and each scan is recorded', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch } = caller(api)
  const { id: scanner_id } = done(await post('scanners', { name: 'Door 1', external_id: 'door-1' }))
  const pass = await issuePass(api, {
    template_id: (await makeTemplate(api, { expires_at: '2027-01-01' })).id,
  })
  const place = { latitude: 45.523, longitude: -122.676 }
  const scan = (payload: string, more = {}) => post('passes/scan', { payload, scanner_id, ...more })
  const valid = await scan(pass.payload, place)
  t.equal(valid.status, 201)
  t.match(valid.body, {
    ...{ object: 'pass_scan', scanner_id, pass_id: pass.id, verification_result: 'valid' },
    ...{ medium: 'barcode', ...place },
  })
  t.same((await get('pass_scans/' + valid.body.id)).body, valid.body)
  const [event] = await eventsOf(api, valid.body.id, 'pass.scanned')
  t.same(event?.data, { scan: valid.body })

  const result = async (payload: string, more = {}) =>
    done(await scan(payload, more)).verification_result
  t.equal(
    await result('https://shop.test/?p=' + pass.payload.toLowerCase()),
    'valid',
    'text around it',
  )
  t.equal(await result(pass.payload, { medium: 'nfc' }), 'valid', 'it may be scanned again')
  t.equal(await result('hello'), 'unknown')
  const { payload } = pass
  const flipped = payload.slice(0, -1) + (payload.endsWith('0') ? '1' : '0')
  t.equal(await result(flipped), 'forged')
  t.equal(await result('P1' + '0'.repeat(42)), 'forged')
  const theirs = caller(api, api.other)
  const their = done(await theirs.post('scanners', { name: 'Theirs' }))
  const read = done(await theirs.post('passes/scan', { payload, scanner_id: their.id }))
  t.match(read, { verification_result: 'unknown', pass_id: null }, 'of another tenant')

  done(await patch('passes/' + pass.id, { expires_at: '2026-11-20T12:00:30Z' }))
  t.equal(await result(payload), 'expired', 'its own end counts before its template’s')
  done(await patch('passes/' + pass.id, { expires_at: null }))
  t.equal(await result(payload), 'valid')
  done(await post('passes/' + pass.id + '/revoke'))
  t.equal(await result(payload), 'revoked')

  const list = async (query: string) => done(await get('pass_scans?' + query)).data.length
  t.equal(await list('pass_id=' + pass.id), 6)
  t.equal(await list('verification_result=forged'), 2)
  t.equal(await list('scanner_id=' + scanner_id + '&verification_result=unknown'), 1)
  for (const [body, param] of [
    [{ payload, scanner_id: 'scn_nobody' }, 'scanner_id'],
    [{ payload, scanner_id: their.id }, 'scanner_id'],
    [{ payload, scanner_id, latitude: 1 }, 'longitude'],
    [{ payload, scanner_id, latitude: 91, longitude: 0 }, 'latitude'],
    [{ scanner_id }, 'payload'],
  ] as const) {
    const answer = await post('passes/scan', body)
    t.equal(answer.body.error?.param, param)
    t.equal(answer.status, param === 'scanner_id' ? 404 : 400)
  }
})

test('scanners are registered, changed and removed; their scans stay', async (t) => {
  const api = await startIssuingApi()
  const { get, post, patch, remove } = caller(api)
  const invocation = { name: 'Till', external_id: 'till-1', metadata: { floor: '2' } }
  const made = done(await post('scanners', invocation))
  t.match(made, { object: 'scanner', ...invocation })
  t.equal((await post('scanners', invocation)).status, 409)
  const path = 'scanners/' + made.id
  t.match(done(await patch(path, { name: 'Till 2', metadata: { floor: null } })), {
    name: 'Till 2',
    metadata: {},
  })
  const { payload } = await issuePass(api)
  const scan = done(await post('passes/scan', { payload, scanner_id: made.id }))
  t.same(done(await remove(path)), { id: made.id, object: 'scanner', deleted: true })
  t.equal((await get(path)).status, 404)
  t.equal((await remove(path)).status, 404)
  t.same(done(await get('scanners')).data, [])
  t.equal((await post('passes/scan', { payload, scanner_id: made.id })).status, 404)
  t.equal(done(await get('pass_scans/' + scan.id)).scanner_id, made.id)
  t.equal((await post('scanners', invocation)).status, 201, 'its external id is free again')
})

test('exactly one of a hundred concurrent scans of a one-time pass is valid', async (t) => {
  const api = await startIssuingApi()
  const { get, post } = caller(api)
  const { id: scanner_id } = done(await post('scanners', { name: 'Gate' }))
  const { id: template_id } = await makeTemplate(api, { one_time: true })
  const pass = await issuePass(api, { template_id })
  // As many at once as a tenant may have connections.
  const answers: Answer[] = []
  let left = 100
  const scanner = async (): Promise<void> => {
    while (left-- > 0)
      answers.push(await post('passes/scan', { payload: pass.payload, scanner_id }))
  }
  await Promise.all(Array.from({ length: 60 }, scanner))
  const results = answers.map((answer) => done(answer).verification_result).sort()
  t.same(results, [...Array(99).fill('replayed'), 'valid'])
  t.equal((await get('passes/' + pass.id)).body.redeemed_at, api.clock.nowMs / 1000)
  const [scans] =
    await api.sql`select count(*)::int as n from pass_scans where pass_id = ${pass.id}`
  t.equal(scans?.['n'], 100, 'every one is recorded')
})

test('a batch of a hundred takes as many statements as a single call', async (t) => {
  const api = await startIssuingApi()
  const { id: template_id } = await makeTemplate(api)
  const { tenantId, environment } = api.tenant
  const principal = { tenantId, environment, clockOffsetMs: 0 }
  const context = {
    principal,
    now: api.clock.nowMs,
    newId: (prefix: string) => newId(prefix, systemClock.nowMs()),
    unseal: (place: string, sealed: string) => unseal(MASTER_KEYS, place, sealed),
  } as unknown as PassContext
  const statementsOf = async (count: number): Promise<number> => {
    const inputs = Array.from({ length: count }, () => ({ template_id, holder_name: 'Ada' }))
    const work: Work = { texts: [], statements: 0 }
    await tx(api.sql, (sql) => issuePasses(counting(sql, work), context, inputs, 1))
    return work.statements
  }
  const single = await statementsOf(1)
  t.ok(single > 1)
  t.equal(await statementsOf(100), single)
})
