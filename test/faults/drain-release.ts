// A release's journal, drained by today's api into a database with the tenant and cards of that
// release.
import type { Sql } from '../../api/database/pool.ts'
import { startEngineLink } from '../../api/engine-link/link.ts'
import { NO_PAYMENTS } from '../../api/engine-link/payments-port.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { MIGRATED } from '../harness/drain.ts'
import { startEngine, type TestEngine } from '../harness/engine.ts'
import { silentLog } from '../harness/engine-listener.ts'
import { openTestDatabase, type Teardown } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'
import type { KeptRows } from './releases.ts'

const CARDS = [1, 2, 3, 4, 5]

export interface Drained {
  sql: Sql
  engine: TestEngine
}

/** Drains all `entries` of a data directory that is a copy. */
export async function drainRelease(
  t: Teardown,
  directory: string,
  clock: Clock,
  entries: number,
): Promise<Drained> {
  const { sql, url } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  // The release's tenant and cards.
  await sql`insert into tenants select 'ten_1', name, api_version, created_at from tenants`
  for (const number of CARDS)
    await sql`insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status,
        token, fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
      select ${'card_' + number}, 'ten_1', environment, program_id, cardholder_id, type, status,
        ${'tok_' + number}, ${'f' + number}, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at
      from cards where id = ${tenant.cardId}`
  const engine = await startEngine(t, { directory, clock })
  const { journal_id } = await engine.client.status()
  await sql`insert into journal_cursor (journal_id, seq) values (${journal_id}, 0)`
  const link = startEngineLink({
    databaseUrl: url,
    socketPath: engine.directory + '/engine.sock',
    clock: systemClock,
    watch: { agrees: true },
    log: silentLog,
    migrations: MIGRATED,
    payments: NO_PAYMENTS,
  })
  t.teardown(() => link.stop())
  await until(async () => (await engine.client.status()).drained_seq === entries)
  return { sql, engine }
}

/** Rows of the tables that the drain writes, without columns that came later. */
export async function drainedRows(sql: Sql): Promise<{ [table: string]: KeptRows }> {
  return {
    card_transactions: await sql`
      select id, card_id, cardholder_id, network, kind, status, amount_cents, approved_cents, currency, decline_reason,
        created_at, sequence, network_transaction_id, stand_in, question_sequence, late_sequence, late_outcome, late_ms,
        late_disagrees, sums, flags, hold_expires_at
      from card_transactions order by id`,
    card_transaction_messages: await sql`
      select transaction_id, sequence, kind, network, message_id, amount_cents, event_type, decline_reason, status, flags,
        happened_at, journal_seq
      from card_transaction_messages order by transaction_id, sequence`,
    unmatched_messages: await sql`
      select network, message_id, environment, created_at, journal_seq from unmatched_messages order by journal_seq`,
    cards:
      await sql`select id, status, suspended_by from cards where tenant_id = 'ten_1' order by id`,
    events: await sql`
      select type, count(*)::int from events where tenant_id = 'ten_1' group by type order by type`,
    drain_quarantine: await sql`select error from drain_quarantine`,
  }
}
