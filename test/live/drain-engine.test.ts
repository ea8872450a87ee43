// Transactions that the drain makes of a real engine's entries about messages of every kind.
import { test } from 'tap'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { startTenant } from '../fakes/tenant.ts'
import {
  drain,
  FIRST_TENANT,
  seedFirstTenant,
  shownTransaction,
  toldTransaction,
} from '../harness/drained.ts'
import {
  endpointConfig,
  newMessage,
  pushConfig,
  startEngine,
  TENANT_SECRET,
  type TestEngine,
} from '../harness/engine.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const APPROVE = JSON.stringify({ approve: true })

/** Sends a message about the transaction of an earlier one. */
async function follow(
  engine: TestEngine,
  of: NetworkMessage,
  change: Partial<NetworkMessage>,
): Promise<string> {
  const original_network_transaction_id = of.network_transaction_id
  const message = newMessage({ original_network_transaction_id, ...change })
  return (await engine.purchase(message)).transaction_id ?? ''
}

test('a life from request to refund appears in full, with the requests to the tenant', async (t) => {
  const { sql } = await openTestDatabase(t)
  await seedFirstTenant(sql)
  const tenant = await startTenant({
    behave: () => ({ kind: 'reply', body: APPROVE }),
    secrets: [TENANT_SECRET],
  })
  t.teardown(() => tenant.close())
  const engine = await startEngine(t)
  await pushConfig(engine, {
    program: { realtime: true, endpoint_id: 'we_1' },
    more: [endpointConfig(tenant.url)],
  })

  const authorization = newMessage({ amount_cents: 1000 })
  const { transaction_id: id } = await engine.purchase(authorization)
  const ids = [
    await follow(engine, authorization, { kind: 'incremental', amount_cents: 500 }),
    await follow(engine, authorization, { kind: 'capture', amount_cents: 1400, final: true }),
    await follow(engine, authorization, { kind: 'refund', amount_cents: 400 }),
  ]
  t.same(ids, [id, id, id])
  const forced = newMessage({ kind: 'capture', amount_cents: 70 })
  const forcedId = (await engine.purchase(forced)).transaction_id
  const reversed = newMessage({ amount_cents: 30 })
  const reversedId = (await engine.purchase(reversed)).transaction_id
  await follow(engine, reversed, { kind: 'reversal', amount_cents: 30 })
  await engine.purchase(newMessage({ card: { token: 'tok_nobody' } }))

  await drain(sql, ...(await engine.entries()))
  t.match(await shownTransaction(sql, FIRST_TENANT, id), {
    sequence: 4,
    status: 'partially_refunded',
    flags: ['final'],
    amount_cents: 500,
    authorization_request: { kind: 'incremental' },
    amounts: { cumulative: { amount: 1500 }, settlement: { amount: 1400 } },
    sums: {
      authorized_cents: 1000,
      incremented_cents: 500,
      captured_cents: 1400,
      released_cents: 100,
      refunded_cents: 400,
      open_hold_cents: 0,
    },
    increments: [{ approved: true, amount_cents: 500 }],
    captures: [{ amount_cents: 1400 }],
    refunds: [{ amount_cents: 400 }],
  })
  t.match(await shownTransaction(sql, FIRST_TENANT, forcedId), {
    status: 'captured',
    flags: ['force_post', 'final'],
    decision: { decided_by: 'network', approved: true },
  })
  t.match(await shownTransaction(sql, FIRST_TENANT, reversedId), {
    status: 'reversed',
    reversal: { stage: 'pre_capture', cause: 'merchant', partial: false },
  })
  const [counts] = await sql`select (select count(*)::int from drain_quarantine) as refused,
    (select count(*)::int from unmatched_messages) as unmatched`
  t.same(counts, { refused: 0, unmatched: 1 })

  const asked = tenant.requests.map(
    ({ body }) => JSON.parse(body).data.transaction as CardTransaction,
  )
  const stored = await sql<{ body: Buffer }[]>`
    select body from events where resource_id = ${id} and type = 'card.transaction.authorized' order by seq`
  for (const [at, { body }] of stored.entries()) {
    const told = toldTransaction(body)
    t.same(
      Object.keys(asked[at] ?? {}),
      Object.keys(told),
      'the question has the keys of the event',
    )
    t.match(told, { ...unchanging(asked[at]) })
  }
  t.match(asked[1], {
    status: 'authorized',
    sequence: 2,
    amounts: { requested_delta: { amount: 500 }, cumulative: { amount: 1500 } },
    sums: { authorized_cents: 1000, open_hold_cents: 1000 },
  })
})

/** The fields that the request to the tenant and the event after its answer share. */
function unchanging(asked: CardTransaction | undefined) {
  if (asked === undefined) throw new Error('the tenant was not asked')
  const { id, created, sequence, authorization_request, message, merchant, verification } = asked
  const { amount_cents, currency, card, cardholder, program, controls_snapshot, preliminary } =
    asked
  return {
    ...{ id, created, sequence, authorization_request, message, merchant, verification },
    ...{ amount_cents, currency, card, cardholder, program, controls_snapshot, preliminary },
  }
}

test('a card stopped by the engine is suspended by the drain', async (t) => {
  const { sql } = await openTestDatabase(t)
  await seedFirstTenant(sql)
  const engine = await startEngine(t)
  const rule = {
    name: 'card_testing',
    state: 'active',
    count: 3,
    seconds: 600,
    amount_cents: 100,
  } as const
  await pushConfig(engine, { program: { fraud_rules: [rule] } })
  for (let count = 0; count < 4; count++)
    await engine.purchase({ amount_cents: 10, entry_method: 'online' })
  await drain(sql, ...(await engine.entries()))
  const [card] =
    await sql`select status, suspend_reason, suspended_by from cards where id = 'card_1'`
  t.same(card, {
    status: 'suspended',
    suspend_reason: 'card_testing',
    suspended_by: 'fraud_rule',
  })
  const types = await sql<{ type: string }[]>`select type from events order by seq`
  t.same(
    types.map(({ type }) => type.replace('card.transaction.', '')),
    ['authorized', 'authorized', 'authorized', 'card.suspended', 'declined'],
  )
})
