// Concurrent calls: one neither misses nor overrides the other's uncommitted change.
import { test } from 'tap'
import { type TxSql, tx } from '../../../api/database/transaction.ts'
import { recordInstalled } from '../../../api/passes/passes/index.ts'
import { pushRound } from '../../../api/passes/wallets/apple/push/pump.ts'
import { systemClock } from '../../../shared/clock.ts'
import { PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { behindEachOther } from '../../harness/behind-each-other.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { issue, startIssuingApi } from '../../harness/issuing.ts'
import { caller, done, issuePass } from '../../harness/passes.ts'

/**
 * A call of the tenant locks the head of its audit log last, and waits there with all its other
 * locks.
 */
function lockHead({ tenant }: TestApi) {
  return (sql: TxSql) => sql`
    insert into audit_heads (tenant_id, environment, seq, hash)
    values (${tenant.tenantId}, ${tenant.environment}, 0, ${Buffer.alloc(32)})
    on conflict (tenant_id, environment) do update set seq = audit_heads.seq`
}

test('a program created while the clock moves has the new time', async (t) => {
  const api = await startIssuingApi()
  const key = api.tenant.keys.admin
  const [made, moved] = await behindEachOther(api.sql, lockHead(api), [
    () => api.call('POST', '/v1/programs', { key, body: { name: 'Cards' } }),
    () => api.call('POST', '/v1/sandbox/clock', { key, body: { advance_seconds: 60 } }),
  ])
  t.equal(done(moved!).offset_ms, 60_000)
  const programs = await api.sql<{ id: string; offset: number }[]>`
    select id, clock_offset_ms as offset from programs where tenant_id = ${api.tenant.tenantId} order by id`
  const ids = [api.tenant.programId, done(made!).id].sort()
  t.same(
    programs.map(({ id, offset }) => [id, offset]),
    ids.map((id) => [id, 60_000]),
  )
})

test('a pass that gets another card while its card ends stays valid', async (t) => {
  const api = await startIssuingApi()
  const { get, patch, post } = caller(api)
  const [old, other] = [await issue(api, 'virtual'), await issue(api, 'virtual')]
  const pass = await issuePass(api, { card_id: old.id })
  const ended = await issuePass(api, { card_id: old.id })
  const answers = await behindEachOther(api.sql, lockHead(api), [
    () => patch('passes/' + pass.id, { card_id: other.id }),
    () => post('cards/' + old.id + '/terminate'),
  ])
  for (const answer of answers) done(answer)
  t.match(done(await get('passes/' + pass.id)), { status: 'active', card_id: other.id })
  t.match(done(await get('passes/' + ended.id)), { status: 'revoked', card_id: old.id })
})

test('a device that changes its push token while the old one expires keeps its pass', async (t) => {
  const api = await startIssuingApi()
  const { sql, clock } = api
  const { get, patch } = caller(api)
  const { id: passId } = await issuePass(api)
  const register = (pushToken: string) => (inner: TxSql) =>
    recordInstalled(inner, {
      ...{ passId, platform: 'apple', deviceId: 'phone', pushToken },
      ...{ now: clock.nowMs, publicUrl: PUBLIC_URL },
    })
  const service = { push: async () => ({ kind: 'gone' }) as const, close: () => {} }
  const round = () =>
    pushRound({
      ...{ sql, service, log: silentLog, publicUrl: PUBLIC_URL },
      clock: { ...systemClock, nowMs: () => clock.nowMs },
    })
  await tx(sql, register('old'))
  done(await patch('passes/' + passId, { holder_name: 'Ada' }))
  await behindEachOther(sql, register('new'), [round])
  t.equal(done(await get('passes/' + passId)).status, 'installed')
  await tx(sql, register('newer'))
  done(await patch('passes/' + passId, { holder_name: 'Bob' }))
  await round()
  t.equal(done(await get('passes/' + passId)).status, 'removed', 'the one it has is gone')
})
