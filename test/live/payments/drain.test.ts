// Payment accounts between PostgreSQL and the engine: config records one way, entries the other.
import { join } from 'node:path'
import { type Test, test } from 'tap'
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { readConfigHistory } from '../../../api/engine-link/config-history.ts'
import { readConfig } from '../../../api/engine-link/config-rows.ts'
import type { PaymentsPort } from '../../../api/engine-link/payments-port.ts'
import { recordDeposit, recordHold } from '../../../api/payments/ledger/index.ts'
import { drainedPayments } from '../../../api/payments/payments/index.ts'
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
import {
  addControl,
  SEEDED_AT_MS,
  seedPaymentAccount,
  seedTenant,
  type TestTenant,
} from '../../harness/tenant.ts'
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

/** A payment of the account, to a shop of its own. */
async function addPayment(
  sql: Sql,
  { tenantId, cardholderId }: TestTenant,
  of: Pick<PaymentMessage, 'id' | 'payment_account_id'> & {
    status: 'deciding' | 'authorized'
    expiresAt: number
    transactionId: string | null
  },
): Promise<void> {
  const settlementId = newId('sacc', SEEDED_AT_MS)
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at)
    values (${settlementId}, ${tenantId}, 'sandbox', 'usable', 0, ${'0x' + '1'.repeat(40)}, 31337,
      'Shop', '5411', 'US', '{}', 0, ${SEEDED_AT_MS})`
  await sql`
    insert into payments (id, tenant_id, environment, payment_account_id, cardholder_id,
      settlement_account_id, status, amount_cents, currency, expires_at, transaction_id, created_at)
    values (${of.id}, ${tenantId}, 'sandbox', ${of.payment_account_id}, ${cardholderId},
      ${settlementId}, ${of.status}, 1000, 'USD', ${of.expiresAt}, ${of.transactionId},
      ${SEEDED_AT_MS})`
}

test('a batch of entries waits for the call of a payment before it moves money', async (t) => {
  const { sql, tenant, accountId, decided } = await world(t)
  const begun = []
  for (let count = 0; count < 2; count++) {
    const message = paymentMessage({ payment_account_id: accountId })
    const expiresAt = Date.now() + 60_000
    await addPayment(sql, tenant, {
      ...message,
      status: 'deciding',
      expiresAt,
      transactionId: null,
    })
    const entry = await decided(message)
    const { transactionId: id, effect } = entry
    if (id === null || effect === null) throw new Error('the engine opened a transaction')
    begun.push({
      message,
      entry: { to: 'payments' as const, seq: 0, bytes: Buffer.alloc(0), id, effect, entry },
    })
  }
  const [first, second] = begun.toSorted((one, other) =>
    one.message.id < other.message.id ? -1 : 1,
  )
  if (first === undefined || second === undefined) throw new Error('two payments were made')
  const { tenantId } = tenant
  const ledger = { chainId: 31337, environment: 'sandbox' as const, tenantId, now: Date.now() }
  const deposit = { paymentAccountId: accountId, units: 100_000_000n, block: 1 }
  await tx(sql, (inner) => recordDeposit(inner, ledger, deposit))
  let drained = Promise.resolve()
  await tx(sql, async (call) => {
    await call`select from payments where id = ${second.message.id} for no key update`
    drained = tx(sql, async (batch) => {
      t.same(await drainedPayments.applyEntries(batch, [first.entry, second.entry]), [])
    })
    const isWaiting = async () => {
      const rows = await sql`select 1 from pg_locks where not granted`
      return rows.length > 0
    }
    await until(isWaiting)
    // The drain waits for this call, so the ledger has to be free.
    await call`set local lock_timeout = '2s'`
    const move = { paymentAccountId: accountId, cents: 1000, causeId: second.message.id }
    await recordHold(call, ledger, move)
  })
  await drained
  t.same(await sql`select status from payments`, Array(2).fill({ status: 'needs_confirmation' }))
  const [held] = await sql`select balance::text from ledger_accounts where kind = 'held'`
  t.same(held, { balance: '20000000' }, 'each once')
})

test('the hold of a payment ends at its moment, by an entry for the payments domain', async (t) => {
  const { sql, tenant, accountId, decided } = await world(t)
  const expiresAt = Date.now() - 1
  const payment = paymentMessage({ payment_account_id: accountId, hold_expires_at_ms: expiresAt })
  const { transactionId } = await decided(payment)
  await addPayment(sql, tenant, { ...payment, status: 'authorized', expiresAt, transactionId })
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
