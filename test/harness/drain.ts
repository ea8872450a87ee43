// A drain for tests: realistic entries, the link that drains them, and the counts that must agree
// afterwards.
import type { Sql } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { type EngineLinkOptions, startEngineLink } from '../../api/engine-link/link.ts'
import { drainedPayments } from '../../api/payments/payments/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { type DecisionEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { type EngineListener, silentLog } from './engine-listener.ts'
import { decisionEntry, ENTRY_TIME_MS } from './entries.ts'
import type { Teardown } from './postgres.ts'
import type { TestTenant } from './tenant.ts'

const clock = systemClock

/** The migration check of a test's database, which has all of them from the start. */
export const MIGRATED = { missing: async () => null }

/** The api's link between the two, stopped at teardown. */
export function link(
  t: Teardown,
  databaseUrl: string,
  listener: EngineListener,
  change: Partial<EngineLinkOptions> = {},
) {
  const started = startEngineLink({
    databaseUrl,
    socketPath: listener.socketPath,
    clock,
    watch: { agrees: true },
    log: silentLog,
    migrations: MIGRATED,
    payments: drainedPayments,
    ...change,
  })
  t.teardown(() => started.stop())
  return started
}

export function engineStatus(t: Teardown, listener: EngineListener) {
  const client = createEngineClient({ socketPath: listener.socketPath, clock })
  t.teardown(() => client.close())
  return client.status()
}

let messages = 0

/** A decision about the tenant's card under a message id of its own. */
export function entryFor(tenant: TestTenant, change: Partial<DecisionEntry> = {}): DecisionEntry {
  const like = decisionEntry({})
  if (like.card === null) throw new Error('the entry of a test has a card')
  const { tenantId, programId, cardholderId, cardId, environment } = tenant
  return {
    ...like,
    environment,
    transactionId: newId('txn', ENTRY_TIME_MS),
    message: { ...like.message, id: 'message-' + messages++ },
    card: { ...like.card, tenantId, programId, cardholderId, cardId },
    ...change,
  }
}

export function bytesFor(tenants: readonly TestTenant[], count: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => {
    const tenant = tenants[at % tenants.length]
    if (tenant === undefined) throw new Error('no tenant')
    return encodeEntry(entryFor(tenant))
  })
}

/** Every count that must agree after a drain; gaps and doubles show as a difference. */
export async function tally(sql: Sql) {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*) from card_transactions) as transactions,
      (select count(distinct journal_seq) from card_transaction_messages) as entries,
      (select count(*) from events) as events,
      (select count(*) from event_outbox) as outbox,
      (select coalesce(sum(event_seq), 0)::bigint from tenant_sequences) as event_numbers,
      (select coalesce(sum(last), 0)::bigint from
        (select max(seq) as last from events group by tenant_id, environment) s) as event_last,
      (select coalesce(sum(last), 0)::bigint from
        (select max(seq) as last from card_transactions group by tenant_id, environment) s
      ) as transaction_last,
      (select coalesce(sum(count), 0)::bigint from authorization_counts
        where outcome in ('approved', 'declined')) as counted,
      (select count(*) from unmatched_messages) as unmatched,
      (select count(*) from drain_quarantine) as quarantined,
      (select seq from journal_cursor) as cursor`
  return row
}

/** The tally after `count` decisions about cards and nothing else. */
export function clean(count: number, cursor = count) {
  return {
    transactions: count,
    entries: count,
    events: count,
    outbox: count,
    event_numbers: count,
    event_last: count,
    transaction_last: count,
    counted: count,
    unmatched: 0,
    quarantined: 0,
    cursor,
  }
}
