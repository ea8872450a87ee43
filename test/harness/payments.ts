// Payments over a real API, engine, drain and database; the chain is a description without a node,
// unless a test brings one. A holder with a passkey and a settlement account stand ready.
import { join } from 'node:path'
import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { waitForEngine } from '../../api/engine-link/wait-for-engine.ts'
import { createServer } from '../../api/http/server.ts'
import { runOnce } from '../../api/jobs/job.ts'
import {
  type LedgerEntry,
  recordDeposit,
  recordOwnWithdrawal,
} from '../../api/payments/ledger/index.ts'
import { withdrawalJob } from '../../api/payments/payment-withdrawals/index.ts'
import { paymentJob } from '../../api/payments/payments/index.ts'
import type { Services } from '../../api/routes.ts'
import { challengeOn, enrolOn, submit } from '../../scripts/holder-peer/pages.ts'
import { createPasskey, type Passkey } from '../../scripts/holder-peer/passkey.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import { type Answer, type Call, send, testServices } from './api.ts'
import { link } from './drain.ts'
import { ENGINE_KEYS, NETWORK_SECRET, sealed, startEngine, type TestEngine } from './engine.ts'
import { silentLog } from './engine-listener.ts'
import { freePorts } from './free-ports.ts'
import { seedOperator } from './operator.ts'
import { patientClock } from './patient-clock.ts'
import { openTestDatabase, type Teardown, type TestDatabase } from './postgres.ts'
import { PLACE, SHOP, seedPayee, silentChain } from './silent-chain.ts'
import { seedCardholder, seedTenant, type TestTenant } from './tenant.ts'
import { until } from './until.ts'

export { PLACE, SHOP, seedPayee, silentChain }

export interface PaymentsApi {
  url: string
  databaseUrl: string
  sql: Sql
  tenant: TestTenant
  other: TestTenant
  engine: TestEngine
  client: ReturnType<typeof createEngineClient>
  /** Calls with the tenant's write key. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  post(path: string, body?: object, headers?: { [name: string]: string }): Promise<Answer>
  get(path: string): Promise<Answer['body']>
  /** Calls as an operator; the path is below /operator/v1. */
  operate(method: string, path: string, body?: object): Promise<Answer>
  /** Types of the events about a resource, oldest first. */
  events(id: string): Promise<string[]>
  /** Runs the job of payments once, at this moment or a later one. */
  runJob(laterMs?: number): Promise<void>
  /** A settlement account that can be paid. */
  seedPayee(owner?: TestTenant): Promise<string>
  /** An account with a passkey and funds, opened through the API and the page; 0: no funds. */
  openAccount(fundedCents?: number): Promise<{ id: string; passkey: Passkey }>
}

/** The parts that a test replaces. */
export type PaymentsOptions = Partial<
  Pick<
    Services,
    | 'chains'
    | 'isApproved'
    | 'isReleasable'
    | 'withdrawalNonce'
    | 'decidePayment'
    | 'tellHolder'
    | 'holder'
    | 'log'
    | 'pulse'
  >
>

export async function openPayments(
  t: Teardown,
  options: PaymentsOptions = {},
  database?: TestDatabase,
): Promise<PaymentsApi> {
  const { sql, url: databaseUrl } = database ?? (await openTestDatabase(t))
  await tx(sql, (inner) => ensureDerivationRoot(inner, ENGINE_KEYS))
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nk_1', 'simnet', 'sandbox', ${sealed(SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)}, 0)`
  const [tenant, other] = [await seedTenant(sql, 'sandbox'), await seedTenant(sql, 'sandbox')]
  const operator = await seedOperator(sql)
  const engine = await startEngine(t, { unattached: true })
  const socketPath = join(engine.directory, 'engine.sock')
  const started = link(t, databaseUrl, { socketPath } as Parameters<typeof link>[2])
  await until(() => started.state().attached)
  const client = createEngineClient({ socketPath, clock: patientClock })
  const [port = 0] = await freePorts(1)
  const url = 'http://localhost:' + port
  const services: Services = {
    ...testServices({ sql, client, masterKeys: ENGINE_KEYS, clock: systemClock }),
    chains: { sandbox: PLACE, live: null },
    publicUrl: url,
    ...options,
  }
  const server = createServer(services)
  t.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    client.close()
  })
  await server.listen({ host: '127.0.0.1', port })
  const call = (method: string, path: string, details: Call = {}): Promise<Answer> =>
    send(url + path, method, { key: tenant.keys.write, ...details })
  const post: PaymentsApi['post'] = (path, body = {}, headers = {}) =>
    call('POST', '/v1/' + path, { body, headers })
  const api = { url, databaseUrl, sql, tenant, other, engine, client, call, post }
  return {
    ...api,
    operate: (method, path, body) =>
      call(method, '/operator/v1' + path, {
        key: operator,
        ...(body === undefined ? {} : { body }),
      }),
    get: async (path) => (await call('GET', '/v1/' + path)).body,
    async events(id) {
      const rows = await sql<{ type: string }[]>`
        select type from events where resource_id = ${id} order by seq`
      return rows.map(({ type }) => type)
    },
    async runJob(laterMs = 0) {
      const now = systemClock.nowMs() + laterMs
      const ports = { sql, now, clock: systemClock, log: silentLog }
      await runOnce(paymentJob(services), ports)
      await runOnce(withdrawalJob(services), ports)
    },
    seedPayee: (owner = tenant) => seedPayee(sql, owner),
    openAccount: (fundedCents = 100_000) => openAccount(api, fundedCents),
  }
}

export interface PaymentTerms {
  payment_account_id: string
  settlement_account_id: string
  amount_cents: number
}

export interface ConfirmedPayment {
  id: string
  path: string
  passkey: Passkey
  terms: PaymentTerms
}

/** A payment of 25.00 that the holder approved on the page. */
export async function confirmedPayment(
  api: PaymentsApi,
  more: Partial<PaymentTerms> & { passkey?: Passkey } = {},
): Promise<ConfirmedPayment> {
  const { passkey: known, ...given } = more
  const account = known === undefined ? await api.openAccount() : null
  const passkey = known ?? account?.passkey
  if (passkey === undefined) throw new Error('a payment needs a passkey')
  const settlement_account_id = given.settlement_account_id ?? (await api.seedPayee())
  const payment_account_id = given.payment_account_id ?? account?.id ?? ''
  const terms = { amount_cents: 2500, ...given, payment_account_id, settlement_account_id }
  const made = await api.post('payments', terms)
  if (made.status !== 201) throw new Error(made.text)
  const { url } = made.body.confirmation
  const page = await submit(url, {
    decision: 'approve',
    ...passkey.assert(await challengeOn(url)),
  })
  if (!page.text.includes('You approved')) throw new Error(page.text)
  return { id: made.body.id, path: 'payments/' + made.body.id, passkey, terms }
}

/** The parts of a running service that an account is opened with. */
export interface AccountOpening {
  /** The public URL, a name and no address: a passkey belongs to it. */
  url: string
  sql: Sql
  tenant: Pick<TestTenant, 'tenantId' | 'environment' | 'programId'>
  post(path: string, body: object, headers?: { [name: string]: string }): Promise<Answer>
  client: Parameters<typeof waitForEngine>[0]
}

/** A busy machine may confirm a change late: the repeat waits again and changes nothing twice. */
export async function confirmedAnswer(
  { post }: Pick<AccountOpening, 'post'>,
  path: string,
  body: object = {},
  key = newId('key', systemClock.nowMs()),
): Promise<Answer> {
  const call = () => post(path, body, { 'idempotency-key': key })
  let answer = await call()
  await until(async () => {
    if (answer.status === 503) answer = await call()
    return answer.status !== 503
  })
  return answer
}

/** The holder opens the enrolment link and creates a passkey; then the chain has been read. */
export async function openAccount(
  api: AccountOpening,
  fundedCents: number,
): Promise<{ id: string; passkey: Passkey }> {
  const { sql, tenant, url } = api
  const cardholder_id = await seedCardholder(sql, tenant)
  const made = await confirmedAnswer(api, 'payment_accounts', { cardholder_id })
  if (made.status !== 201) throw new Error(made.text)
  const passkey = createPasskey(url)
  const page = await enrolOn(made.body.enrolment_url, passkey)
  if (page.status !== 200) throw new Error(page.text)
  if (fundedCents === 0) return { id: made.body.id, passkey }
  await fundAccount(api, { id: made.body.id, cents: fundedCents })
  return { id: made.body.id, passkey }
}

/** Funds as a finalized block would show them; the engine knows them afterwards. */
export async function fundAccount(
  { sql, tenant, client }: Pick<AccountOpening, 'sql' | 'tenant' | 'client'>,
  { id, cents }: { id: string; cents: number },
): Promise<void> {
  await tellEngine({ sql, client }, async (inner) => {
    await inner`
      update payment_accounts set funded_cents = ${cents}, balance_cents = ${cents} where id = ${id}`
    const move = { paymentAccountId: id, units: unitsOfCents(cents), block: 1 }
    await recordDeposit(inner, ledgerEntryOf(tenant), move)
  })
}

/** The holder took everything out without the service, as a finalized block would show it. */
export async function emptyAccount(
  { sql, tenant, client }: Pick<AccountOpening, 'sql' | 'tenant' | 'client'>,
  { id, cents }: { id: string; cents: number },
): Promise<void> {
  await tellEngine({ sql, client }, async (inner) => {
    await inner`
      update payment_accounts set funded_cents = funded_cents - ${cents},
        balance_cents = balance_cents - ${cents}
      where id = ${id}`
    const move = { paymentAccountId: id, units: unitsOfCents(cents), block: 2 }
    await recordOwnWithdrawal(inner, ledgerEntryOf(tenant), move)
  })
}

function ledgerEntryOf({ tenantId, environment }: AccountOpening['tenant']): LedgerEntry {
  return { chainId: PLACE.chainId, environment, tenantId, now: 0 }
}

/** Returns when the engine knows the change, and all that was committed before. */
export async function tellEngine(
  { sql, client }: Pick<AccountOpening, 'sql' | 'client'>,
  change: (sql: TxSql) => Promise<void>,
): Promise<void> {
  const xid = await tx(sql, async (inner) => {
    await change(inner)
    const [row] = await inner<{ xid: string }[]>`
      select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
    return BigInt(row?.xid ?? 0)
  })
  if (!(await waitForEngine(client, xid))) throw new Error('the engine does not learn of funds')
}
