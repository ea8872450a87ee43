// The report of stand-in reads counts of hours, and gives what the rows of transactions give.
import fc from 'fast-check'
import { test } from 'tap'
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { countVerdicts } from '../../../api/webhooks/endpoints/stand-in-store.ts'
import type { StandInReport } from '../../../shared/schemas/stand-in-report.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { lateReplyEntry } from '../../harness/entries.ts'
import { readTables } from '../../harness/read-tables.ts'
import { requestOf } from '../../harness/stand-in.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

const HOUR_MS = 3_600_000

async function report(api: TestApi, query = ''): Promise<StandInReport> {
  const { status, body } = await api.call('GET', '/v1/stand_in/report' + query, {
    key: api.tenant.keys.read,
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

const at = (ms: number): string => new Date(SEEDED_AT_MS + ms).toISOString()

/** A day of requests: every twentieth minute one, by turns with each outcome and verdict. */
function requests(api: TestApi): DecisionEntry[] {
  return Array.from({ length: 72 }, (_, index) =>
    requestOf(api.tenant, {
      outcome: (['answered_approve', 'answered_decline', 'timeout_response'] as const)[
        index % 3
      ] as 'answered_approve',
      would: index % 7 === 0 ? null : index % 2 === 0,
      standIn: index % 3 === 2,
      atMs: index * 20 * 60_000 + index,
    }),
  )
}

function late(api: TestApi, of: DecisionEntry | undefined, sequence = 1, disagrees = true) {
  return lateReplyEntry({
    transactionId: of?.transactionId ?? '',
    tenantId: api.tenant.tenantId,
    outcome: disagrees ? 'late_decline' : 'late_approve',
    ...{ disagrees, sequence },
  })
}

/** The rows themselves, as the report was counted before there were counts. */
async function byRows(sql: Sql, tenantId: string, from: number, before: number) {
  const [row] = await sql`
    select (
        select count(*)::integer from card_transactions t
        join card_transaction_messages m on m.transaction_id = t.id
        where t.tenant_id = ${tenantId} and t.created_at >= ${from} and t.created_at < ${before}
          and m.stand_in_would_approve is not null
      ) as questions, (
        select count(*)::integer from card_transactions t
        where t.tenant_id = ${tenantId} and t.created_at >= ${from} and t.created_at < ${before}
          and t.late_outcome is not null
      ) as late`
  return row as { questions: number; late: number }
}

const inSum = ({ questions, late: { approved, declined } }: StandInReport) => ({
  ...{ questions, late: approved + declined },
})

async function seeded(): Promise<{ api: TestApi; entries: DecisionEntry[] }> {
  const api = await startTestApi()
  const entries = requests(api)
  await drain(
    api.sql,
    ...entries,
    ...entries.filter((_, index) => index % 5 === 0).map((one) => late(api, one)),
  )
  return { api, entries }
}

test('every period counts as its rows do, also one that cuts hours', async (t) => {
  const { api } = await seeded()
  const { sql, tenant } = api
  // Seconds are the smallest step of a filter.
  const moment = fc.integer({ min: -3600, max: 25 * 3600 })
  await fc.assert(
    fc.asyncProperty(moment, moment, async (one, two) => {
      const [from, before] = [Math.min(one, two) * 1000, Math.max(one, two) * 1000]
      const query = '?created[gte]=' + at(from) + '&created[lt]=' + at(before)
      const expected = await byRows(
        sql,
        tenant.tenantId,
        SEEDED_AT_MS + from,
        SEEDED_AT_MS + before,
      )
      t.same(inSum(await report(api, query)), expected, query)
    }),
    {
      numRuns: 40,
      examples: [
        [0, 3600],
        [0, 0],
        [1, 3599],
        [3600, 7201],
      ],
    },
  )
  t.same(inSum(await report(api)), await byRows(sql, tenant.tenantId, 0, 1e15))
})

test('a later late answer takes the place of the one before', async (t) => {
  const api = await startTestApi()
  const first = requestOf(api.tenant, { outcome: 'timeout_response', would: true, standIn: true })
  await drain(api.sql, first, late(api, first))
  t.match((await report(api)).late, { approved: 0, declined: 1, disagreed: 1 })
  await drain(api.sql, late(api, first))
  t.match((await report(api)).late, { approved: 0, declined: 1, disagreed: 1 }, 'the same again')
  await drain(api.sql, late(api, first, 2, false))
  t.match((await report(api)).late, { approved: 1, declined: 0, disagreed: 0 })
})

test('transactions from before the counts stay in the report, and go on in it', async (t) => {
  const { api, entries } = await seeded()
  const { sql, tenant } = api
  const before = await report(api)
  await sql`delete from stand_in_counts`
  await sql`
    insert into stand_in_uncounted (tenant_id, environment, seq, until_at)
    select tenant_id, environment, max(seq), max(created_at) from card_transactions group by 1, 2`
  t.same(await report(api), before)
  const part = '?created[gte]=' + at(3 * HOUR_MS + 61_000) + '&created[lt]=' + at(9 * HOUR_MS)
  const counted = await report(api, part)
  const old = entries.find(({ decision }) => decision.standIn)
  const fresh = requestOf(tenant, { outcome: 'timeout_response', would: true, standIn: true })
  await drain(sql, fresh, late(api, fresh), late(api, old))
  t.match(await report(api), { questions: before.questions + 1 })
  t.equal((await report(api)).late.declined, before.late.declined + 2)
  t.same(await report(api, part), counted, 'another hour')
})

test('a drain of the release before counts too', async (t) => {
  const { api, entries } = await seeded()
  const { sql, tenant } = api
  const before = await report(api)
  const [asked] = entries.filter(({ decision }) => decision.standInWould !== null)
  // Its statement names no column of this release.
  await sql`
    insert into card_transaction_messages (transaction_id, sequence, kind, network, message_id,
      amount_cents, event_type, status, flags, happened_at, journal_seq, entry, tenant_outcome,
      stand_in, stand_in_would_approve)
    select transaction_id, 7, kind, network, 'another', amount_cents, event_type, status, flags,
      happened_at, journal_seq, entry, 'answered_decline', false, false
    from card_transaction_messages where transaction_id = ${asked?.transactionId ?? ''}`
  const after = await report(api)
  t.equal(after.questions, before.questions + 1)
  t.equal(after.compared.both_decline, before.compared.both_decline + 1)
  t.same(inSum(after), await byRows(sql, tenant.tenantId, 0, 1e15))
})

test('a report of whole hours reads no transaction, however many there are', async (t) => {
  const { api } = await seeded()
  const { sql, tenant } = api
  const owner = { tenantId: tenant.tenantId, environment: tenant.environment }
  const read = (query: object) =>
    tx(sql, async (inner) => {
      const before = await readTables(inner, ['card_transactions', 'card_transaction_messages'])
      await countVerdicts(inner, owner, query)
      const after = await readTables(inner, ['card_transactions', 'card_transaction_messages'])
      return after.rows - before.rows
    })
  t.equal(await read({}), 0)
  t.equal(await read({ 'created[gte]': at(0), 'created[lt]': at(20 * HOUR_MS) }), 0)
  t.ok((await read({ 'created[gte]': at(60_000) })) > 0, 'an hour that is cut')
})
