// The testbed of the payments bench: engine, api and PostgreSQL as a user runs them, with holders
// whose accounts stand and a chain that gives no answer.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { waitForEngine } from '../../api/engine-link/wait-for-engine.ts'
import { recordDeposit } from '../../api/payments/ledger/index.ts'
import { apiKeyHash, newApiKey } from '../../shared/api-key.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import { PLACE, seedPayee, silentChain } from '../../test/harness/silent-chain.ts'
import { type Generator, startGenerator } from '../generator.ts'
import { idOf } from '../line/seed.ts'
import { type LineTestbed, openLineTestbed } from '../line/testbed.ts'
import { newDirectory } from '../machine.ts'

const CARDS = 2000
const ACCOUNTS = 500
const FUNDED_CENTS = 1_000_000_000
const LIMIT_FACTOR = 1000
const NEVER_MS = 4_000_000_000_000
const AMOUNT_CENTS = 25

export interface PaymentsTestbed extends LineTestbed {
  /** Sends the calls of the API. */
  generator: Generator
  /** Fresh authorizations of payments, and fresh keyed writes without the engine. */
  payments(count: number): string[]
  writes(count: number): string[]
}

export async function openPaymentsTestbed(): Promise<PaymentsTestbed> {
  const chainFile = join(newDirectory(), 'chain.json')
  writeFileSync(chainFile, JSON.stringify(silentChain()))
  const stand = await openLineTestbed({
    cards: CARDS,
    apiEnvironment: { SVC_CHAIN_SANDBOX: chainFile, SVC_PUBLIC_URL: 'http://localhost:9' },
  })
  try {
    const seeded = await seed(stand)
    const generator = startGenerator()
    return {
      ...stand,
      generator,
      ...requestsOf(seeded),
      async close() {
        await generator.stop()
        await stand.close()
      },
    }
  } catch (error) {
    await stand.close()
    throw error
  }
}

interface SeededPayments {
  key: string
  payee: string
  accounts: readonly string[]
}

/** Holders with funds, an address to pay, and a key; returns when the engine knows them. */
async function seed({ sql, client }: LineTestbed): Promise<SeededPayments> {
  const now = systemClock.nowMs()
  const [program] = await sql<{ id: string; tenantId: string }[]>`
    select id, tenant_id as "tenantId" from programs limit 1`
  if (program === undefined) throw new Error('the testbed has no program')
  const owner = { tenantId: program.tenantId, environment: 'sandbox' } as const
  const key = newApiKey('secret', 'sandbox')
  await sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${owner.tenantId}, 'sandbox', ${LIMIT_FACTOR}, ${NEVER_MS})`
  await sql`
    insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
    values (${newId('key', now)}, ${owner.tenantId}, 'sandbox', 'secret', 'write',
      ${apiKeyHash(key)}, ${key.slice(-4)}, ${now})`
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => idOf('pacc', at))
  const hex = (bytes: number): string[] => accounts.map(() => randomBytes(bytes).toString('hex'))
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, address, credential_id, public_x, public_y, enrolled_at, backed_up, funded_cents,
      balance_cents, created_at)
    select id, ${owner.tenantId}, 'sandbox', ${program.id}, holder, 'active', ${PLACE.chainId},
      '0x' || address, decode(x, 'hex'), decode(x, 'hex'), decode(y, 'hex'), ${now}, false,
      ${FUNDED_CENTS}, ${FUNDED_CENTS}, ${now}
    from unnest(${accounts}::text[], ${accounts.map((_, at) => idOf('ch', at))}::text[],
      ${hex(20)}::text[], ${hex(32)}::text[], ${hex(32)}::text[])
      as made (id, holder, address, x, y)`
  const xid = await tx(sql, async (inner) => {
    const at = { chainId: PLACE.chainId, ...owner, now }
    for (const paymentAccountId of accounts) {
      const units = unitsOfCents(FUNDED_CENTS)
      await recordDeposit(inner, at, { paymentAccountId, units, block: 1 })
    }
    const [row] = await inner<{ xid: string }[]>`
      select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
    return BigInt(row?.xid ?? 0)
  })
  if (!(await waitForEngine(client, xid))) throw new Error('the engine does not learn of accounts')
  const payee = await seedPayee(sql as Sql, owner)
  await sql`vacuum analyze`.simple()
  return { key, payee, accounts }
}

function requestsOf({
  key,
  payee,
  accounts,
}: SeededPayments): Pick<PaymentsTestbed, 'payments' | 'writes'> {
  let made = 0
  const many = (count: number, one: (number: number) => string): string[] =>
    Array.from({ length: count }, () => one(made++))
  return {
    payments: (count) =>
      many(count, (number) =>
        request('POST /v1/payments', key, number, {
          payment_account_id: accounts[number % accounts.length],
          settlement_account_id: payee,
          amount_cents: AMOUNT_CENTS,
        }),
      ),
    writes: (count) =>
      many(count, (number) =>
        request('PATCH /v1/cards/' + idOf('card', number % CARDS), key, number, {
          metadata: { order: 'order-' + number },
        }),
      ),
  }
}

function request(line: string, key: string, number: number, content: object): string {
  const body = JSON.stringify(content)
  const head = [
    line + ' HTTP/1.1',
    'Host: bench',
    'Authorization: Bearer ' + key,
    'Idempotency-Key: bench-' + number,
    'Content-Type: application/json',
    'Content-Length: ' + body.length,
  ]
  return head.join('\r\n') + '\r\n\r\n' + body
}
