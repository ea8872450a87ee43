// Payment accounts between PostgreSQL and the engine: config records one way, entries the other.
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { readConfigHistory } from '../../../api/engine-link/config-history.ts'
import { readConfig } from '../../../api/engine-link/config-rows.ts'
import type { PaymentsPort } from '../../../api/engine-link/payments-port.ts'
import { ensureDerivationRoot } from '../../../scripts/start/seed/derivation-root.ts'
import { newId } from '../../../shared/id.ts'
import type { KeptConfig } from '../../../shared/wire/config-records.ts'
import type { PaymentMessage } from '../../../shared/wire/control.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import { link } from '../../harness/drain.ts'
import { ENGINE_KEYS, startEngine } from '../../harness/engine.ts'
import type { EngineListener } from '../../harness/engine-listener.ts'
import { paymentFollowUp, paymentMessage } from '../../harness/payment-messages.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { addControl, SEEDED_AT_MS, seedPaymentAccount, seedTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

/** Keeps each entry in a table, inside the drain's transaction; a second one breaks its key. */
const RECORDING: PaymentsPort = {
  async applyEntries(sql, entries) {
    for (const { id, effect, entry } of entries)
      await sql`
        insert into taken (id, sequence, kind)
        values (${id}, ${effect.sequence}, ${entry.kind === 'decision' ? entry.message.kind : 'expiry'})`
    return []
  },
}

async function world(t: Test) {
  const { sql, url } = await openTestDatabase(t)
  await sql`
    create table taken (id text, sequence integer, kind text, primary key (id, sequence))`
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  const tenant = await seedTenant(sql, 'sandbox')
  const accountId = await seedPaymentAccount(sql, tenant)
  const engine = await startEngine(t, { unattached: true })
  const socketPath = join(engine.directory, 'engine.sock')
  const linked = link(t, url, { socketPath } as EngineListener, { payments: RECORDING })
  const decided = async (message: PaymentMessage): Promise<DecisionEntry> => {
    let entry: DecisionEntry | null = null
    await until(async () => {
      const answer = await engine.client.decidePayment(message)
      if (answer.state === 'decided') entry = answer.entry
      return answer.state !== 'away'
    })
    if (entry === null) throw new Error('decided before')
    return entry
  }
  const drained = () =>
    until(async () => {
      const status = await engine.client.status()
      return status.drained_seq === status.synced_seq
    })
  return { sql, tenant, accountId, engine, linked, decided, drained }
}

test('entries of accounts go to the payments domain once, and make no card transaction', async (t) => {
  const { sql, tenant, accountId, decided, drained } = await world(t)
  const payment = paymentMessage({ payment_account_id: accountId })
  const entry = await decided(payment)
  t.match(entry.card, { tenantId: tenant.tenantId, cardholderId: tenant.cardholderId })
  await decided(paymentFollowUp(payment, { kind: 'capture', amount_cents: 400, final: false }))
  await drained()
  t.same(await sql`select id, sequence, kind from taken order by sequence`, [
    { id: entry.transactionId, sequence: 1, kind: 'authorization' },
    { id: entry.transactionId, sequence: 2, kind: 'capture' },
  ])
  const [counts] = await sql`
    select (select count(*) from card_transactions) as transactions,
      (select count(*) from card_transaction_messages) as messages,
      (select count(*) from unmatched_messages) as unmatched,
      (select count(*) from drain_quarantine) as quarantined, (select count(*) from events) as events`
  t.same(counts, { transactions: 0, messages: 0, unmatched: 0, quarantined: 0, events: 0 })
})

test('new funds and a suspension reach the engine, balances on the chain do not', async (t) => {
  const { sql, accountId, engine, decided } = await world(t)
  const pay = async (amount_cents: number): Promise<string | null> => {
    const message = paymentMessage({ payment_account_id: accountId, amount_cents })
    return (await decided(message)).decision.declineReason
  }
  const covered = async (): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    await until(() => engine.client.covers(BigInt(row?.xid ?? 0)))
  }
  t.equal(await pay(10_001), 'insufficient_funds')
  await sql`update payment_accounts set funded_cents = 10001 where id = ${accountId}`
  await covered()
  t.equal(await pay(10_001), null)
  await sql`update payment_accounts set balance_cents = 5, as_of_block = 7 where id = ${accountId}`
  const [{ version }] = await sql<[{ version: number }]>`
    select version from payment_accounts where id = ${accountId}`
  t.equal(version, 2, 'the engine does not read them, so they make no version')
  await sql`update payment_accounts set status = 'suspended' where id = ${accountId}`
  await covered()
  t.equal(await pay(1), 'card_suspended')
})

test('the hold of a payment ends at its moment, by an entry for the payments domain', async (t) => {
  const { sql, tenant, accountId, decided } = await world(t)
  const expiresAt = Date.now() - 1
  const payment = paymentMessage({ payment_account_id: accountId, hold_expires_at_ms: expiresAt })
  const { transactionId } = await decided(payment)
  const settlementId = newId('sacc', SEEDED_AT_MS)
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at)
    values (${settlementId}, ${tenant.tenantId}, 'sandbox', 'usable', 0,
      ${'0x' + '1'.repeat(40)}, 31337, 'Shop', '5411', 'US', '{}', 0, ${SEEDED_AT_MS})`
  await sql`
    insert into payments (id, tenant_id, environment, payment_account_id, cardholder_id,
      settlement_account_id, status, amount_cents, currency, expires_at, transaction_id, created_at)
    values (${payment.id}, ${tenant.tenantId}, 'sandbox', ${accountId}, ${tenant.cardholderId},
      ${settlementId}, 'authorized', 1000, 'USD', ${expiresAt}, ${transactionId}, ${SEEDED_AT_MS})`
  const taken = () => sql`select sequence, kind from taken order by sequence`
  await until(async () => (await taken()).length === 2)
  t.same((await taken()).at(-1), { sequence: 2, kind: 'expiry' })
})

test('the versions of accounts are kept beside those of cards, page by page', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  const accountId = await seedPaymentAccount(sql, tenant)
  await addControl(sql, tenant, { scope: 'payment_account', id: accountId, limits: [{}] })
  await sql`update payment_accounts set funded_cents = 77 where id = ${accountId}`
  await sql`update payment_accounts set status = 'closed' where id = ${accountId}`
  const kept: KeptConfig[] = []
  for await (const configRecord of readConfigHistory(sql)) kept.push(configRecord)
  const cards = kept.filter((configRecord) => configRecord.type === 'card')
  t.same(
    cards
      .filter(({ id }) => id === accountId)
      .map(({ version, status, funded_cents }) => [version, status, funded_cents]),
    [
      [1, 'active', 10_000],
      [2, 'active', 77],
      [3, 'terminated', 77],
    ],
  )
  t.match(
    cards.find(({ id }) => id === tenant.cardId),
    { card_type: 'virtual', funded_cents: null },
  )
  const ids = [tenant.cardId, accountId]
  t.same((await readConfig(sql, 'card', { ids })).map(({ id }) => id).toSorted(), ids.toSorted())
  const page = await readConfig(sql, 'card', { after: tenant.cardId, most: 1 })
  t.match(page, [{ id: accountId, card_type: 'account', token: accountId, windows_id: accountId }])
})
