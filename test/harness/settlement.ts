// A settlement line on a real node: anvil with the contracts, a database with payers, payees and
// payments as the resources leave them, and a settler whose rounds a test plays one by one.
import type { Hex } from 'viem'
import { keccak256, stringToHex } from 'viem/utils'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { openOutsideCaller } from '../../api/http/outside-caller.ts'
import { Chain } from '../../api/payments/chain/chain.ts'
import type { ChainConfig, SignerConfig } from '../../api/payments/chain/chain-config.ts'
import { createJsonRpc, type JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { type Approval, approvalHash } from '../../api/payments/chain/terms.ts'
import { recordCapture, recordHold } from '../../api/payments/ledger/index.ts'
import { lockAnyPayment } from '../../api/payments/payments/index.ts'
import { insertRefund } from '../../api/payments/payments/transfers-store.ts'
import type { Line } from '../../api/payments/settler/line.ts'
import { newCounts } from '../../api/payments/settler/metrics.ts'
import { newRoundState, type RoundState, runRound } from '../../api/payments/settler/round.ts'
import { ensureWallet, openSigner } from '../../api/payments/settler/wallet.ts'
import { beginEpoch } from '../../api/payments/settler/wallet-store.ts'
import { type Anvil, startAnvil } from '../../scripts/chain-peer/anvil.ts'
import { deploySandbox, type SandboxChain } from '../../scripts/chain-peer/deploy.ts'
import { createPasskey, derOf, type Passkey } from '../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { newMasterKeyText, parseMasterKeys, seal, unseal } from '../../shared/keyring.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import { silentLog } from './engine-listener.ts'
import { freePorts } from './free-ports.ts'
import { openTestDatabase, type Teardown, type TestDatabase } from './postgres.ts'
import { seedCardholder, seedTenant, type TestTenant } from './tenant.ts'

const CHAIN_ID = 31_337
const VALID_UNTIL = 4_000_000_000
const NOBODY: Hex = `0x${'0'.repeat(40)}`
const GWEI = 1_000_000_000n

export const TEST_MASTER_KEY = newMasterKeyText()
const parsed = parseMasterKeys(TEST_MASTER_KEY, false)
if (!parsed.ok) throw new Error(parsed.error)
const KEYS = parsed.value

export interface Payer {
  id: string
  address: Hex
  passkey: Passkey
  tenant: TestTenant
  cardholderId: string
}

export interface Payee {
  id: string
  address: Hex
  tenant: TestTenant
}

export interface SettlementStand {
  anvil: Anvil
  url: string
  databaseUrl: string
  sql: Sql
  rpc: JsonRpc
  sandbox: SandboxChain
  config: ChainConfig
  line: Line
  /** The time of the settler and of new rows; a test moves it. */
  clock: { nowMs: number }
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  mine(blocks: number): Promise<unknown>
  round(): Promise<void>
  /** Rounds and blocks until everything in flight is final. */
  settle(): Promise<void>
  /** Another settler of the same chain, which begins an epoch of its own. */
  newLine(rpcs?: readonly JsonRpc[]): Promise<{ line: Line; state: RoundState }>
  addPayer(tenant: TestTenant, cents: number): Promise<Payer>
  addPayee(tenant: TestTenant, feeBps?: number): Promise<Payee>
  newTenant(): Promise<TestTenant>
}

/** Chain, database and settler of one test file; gone at teardown. The key is local by default. */
export async function startSettlement(
  t: Teardown,
  signer: SignerConfig = { kind: 'local' },
  database?: TestDatabase,
  contract: 'Settlement' | 'Settlement-1' = 'Settlement',
): Promise<SettlementStand> {
  const { sql, url: databaseUrl } = database ?? (await openTestDatabase(t))
  const [port = 0] = await freePorts(1)
  const anvil = await startAnvil({ port, chainId: CHAIN_ID })
  const bounds = { callMsMax: 10_000, answerBytesMax: 16_000_000 }
  const caller = openOutsideCaller({ clock: systemClock, ...bounds })
  t.teardown(async () => {
    await caller.close()
    await anvil.stop()
  })
  const rpc = createJsonRpc(anvil.url, caller)
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await rpc.call(method, params)
    if (!answer.ok) throw new Error(JSON.stringify(answer.error))
    return answer.value
  }
  const keys = {
    seal: (context: string, text: string) => seal(KEYS, context, text),
    unseal: (context: string, sealed: string) => unseal(KEYS, context, sealed),
  }
  const wallet = await ensureWallet(sql, { chainId: CHAIN_ID, signer }, keys)
  const sponsor = wallet.address as Hex
  const sandbox = await deploySandbox(rpc, { chainId: CHAIN_ID, sponsor, contract })
  const config: ChainConfig = {
    ...{ environment: 'sandbox', chainId: CHAIN_ID, genesisHash: sandbox.genesisHash },
    ...{ rpcUrls: [anvil.url], token: sandbox.token, settlement: sandbox.settlement },
    ...{ finality: 'finalized', maxFeeWei: 100n * GWEI, signer, least: 1 },
  }
  const clock = { nowMs: systemClock.nowMs() }
  const pace = { intervalMs: 0, refusedMsMax: 5000, resendMs: 0, patienceBlocks: 3, roundMs: 10 }
  const newLine = async (rpcs: readonly JsonRpc[] = [rpc]) => {
    const line: Line = {
      ...{ sql, chain: new Chain(rpcs, config), config, pace, log: silentLog },
      signer: openSigner(wallet, config, { ...keys, caller }),
      clock: { ...systemClock, nowMs: () => clock.nowMs },
      counts: newCounts(CHAIN_ID),
      epoch: await beginEpoch(sql, CHAIN_ID),
    }
    return { line, state: newRoundState() }
  }
  const { line, state } = await newLine()
  const mine = (blocks: number) => ask('anvil_mine', ['0x' + blocks.toString(16)])
  const round = () => runRound(line, state)
  return {
    ...{ anvil, url: anvil.url, databaseUrl, sql, rpc, sandbox, config, line, clock, ask, mine },
    ...{ round, newLine },
    async settle() {
      for (let times = 0; times < 3; times++) {
        await round()
        await mine(1)
      }
      await mine(2)
      await round()
      await round()
    },
    addPayer: (tenant, cents) => addPayer({ sql, sandbox, rpc }, tenant, cents),
    addPayee: (tenant, feeBps = 100) => addPayee({ sql, clock }, tenant, feeBps),
    newTenant: () => seedTenant(sql, 'sandbox'),
  }
}

async function addPayer(
  { sql, sandbox, rpc }: Pick<SettlementStand, 'sql' | 'sandbox' | 'rpc'>,
  tenant: TestTenant,
  cents: number,
): Promise<Payer> {
  const passkey = createPasskey()
  const now = systemClock.nowMs()
  const id = newId('pacc', now)
  const cardholderId = await seedCardholder(sql, tenant)
  const { settlement } = sandbox
  const address = await new Chain([rpc], placeOf(sandbox)).accountOf({
    ...passkey,
    recovery: NOBODY,
  })
  if (address.kind !== 'agreed') throw new Error('no address of ' + settlement)
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, address, public_x, public_y, credential_id, created_at)
    values (${id}, ${tenant.tenantId}, 'sandbox', ${tenant.programId}, ${cardholderId}, 'active',
      ${CHAIN_ID}, ${address.value}, ${bytes(passkey.x)}, ${bytes(passkey.y)}, ${bytes(passkey.x)},
      ${now})`
  if (cents > 0) await sandbox.callToken('mint', [address.value, unitsOfCents(cents)])
  return { id, address: address.value, passkey, tenant, cardholderId }
}

function placeOf(sandbox: SandboxChain) {
  return { ...sandbox, finality: 'finalized', least: 1 } as const
}

let payees = 0

async function addPayee(
  { sql, clock }: Pick<SettlementStand, 'sql' | 'clock'>,
  tenant: TestTenant,
  feeBps: number,
): Promise<Payee> {
  const id = newId('sacc', systemClock.nowMs())
  const address: Hex = `0x${(++payees + 0xbeef).toString(16).padStart(40, '0')}`
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at)
    values (${id}, ${tenant.tenantId}, 'sandbox', 'usable', ${clock.nowMs}, ${address}, ${CHAIN_ID},
      'Shop', '5942', 'US', '{"interval": "continuous"}', ${feeBps}, ${clock.nowMs})`
  return { id, address, tenant }
}

export interface Paid {
  paymentId: string
  captureId: string
}

/** A payment that the holder approved, with one capture that waits for a batch. */
export async function pay(
  { sql, config, clock }: Pick<SettlementStand, 'sql' | 'config' | 'clock'>,
  {
    payer,
    payee,
    cents,
    of = cents,
    validUntil = VALID_UNTIL,
  }: { payer: Payer; payee: Payee; cents: number; of?: number; validUntil?: number },
): Promise<Paid> {
  const now = clock.nowMs
  const paymentId = newId('pay', systemClock.nowMs())
  const approval: Approval = {
    ...{ x: payer.passkey.x, y: payer.passkey.y, recovery: NOBODY, payee: payee.address },
    ...{ limit: unitsOfCents(of), validUntil: BigInt(validUntil) },
    salt: keccak256(stringToHex(paymentId)),
  }
  const hash = approvalHash(config, approval)
  const { authenticatorData, clientDataJson, signature } = payer.passkey.sign(hash)
  const assertion = {
    authenticator_data: Buffer.from(authenticatorData).toString('base64url'),
    client_data: Buffer.from(clientDataJson).toString('base64url'),
    signature: derOf(signature).toString('base64url'),
  }
  const { tenantId } = payer.tenant
  await sql`
    insert into payments (id, tenant_id, environment, payment_account_id, cardholder_id,
      settlement_account_id, status, amount_cents, currency, expires_at, approval_salt,
      approval_hash, approval_valid_until, confirmed_at, confirmed_by, assertion, created_at)
    values (${paymentId}, ${tenantId}, 'sandbox', ${payer.id}, ${payer.cardholderId}, ${payee.id},
      'confirmed', ${of}, 'USD', ${now + 86_400_000}, ${bytes(approval.salt)}, ${bytes(hash)},
      ${validUntil}, ${now}, 'passkey', ${JSON.stringify(assertion)}::text::jsonb, ${now})`
  const at = { chainId: config.chainId, environment: config.environment, tenantId, now }
  const hold = { paymentAccountId: payer.id, cents: of, causeId: paymentId }
  await tx(sql, (inner) => recordHold(inner, at, hold))
  const captureId = await capture({ sql, config, clock }, { payer, paymentId, cents, bit: 0 })
  return { paymentId, captureId }
}

/** Another capture under the approval of a payment. */
export async function capture(
  { sql, config, clock }: Pick<SettlementStand, 'sql' | 'config' | 'clock'>,
  asked: { payer: Payer; paymentId: string; cents: number; bit: number },
): Promise<string> {
  const { payer, paymentId, cents, bit } = asked
  const captureId = newId('cap', systemClock.nowMs())
  const now = clock.nowMs
  const { tenantId } = payer.tenant
  await tx(sql, async (inner) => {
    await inner`
      insert into payment_captures (id, payment_id, approval_id, tenant_id, environment, bit,
        amount_cents, final, status, created_at)
      values (${captureId}, ${paymentId}, ${paymentId}, ${tenantId}, 'sandbox', ${bit}, ${cents}, false, 'pending',
        ${now})`
    await inner`
      update payments set status = 'capture_pending',
        capture_pending_cents = capture_pending_cents + ${cents} where id = ${paymentId}`
    const at = { chainId: config.chainId, environment: config.environment, tenantId, now }
    await recordCapture(inner, at, { paymentAccountId: payer.id, cents, causeId: captureId })
  })
  return captureId
}

/** A refund that waits for a batch. */
export async function refund(
  { sql, clock }: Pick<SettlementStand, 'sql' | 'clock'>,
  { paymentId, cents }: { paymentId: string; cents: number },
): Promise<string> {
  const id = newId('ref', systemClock.nowMs())
  await tx(sql, async (inner) => {
    const payment = await lockAnyPayment(inner, paymentId)
    if (payment === null) throw new Error('no payment')
    const approvalId = payment.mandateId ?? paymentId
    const asked = { id, paymentId, approvalId, amountCents: cents, createdAt: clock.nowMs }
    await insertRefund(inner, payment, asked)
    await inner`
      update payments set refund_pending_cents = refund_pending_cents + ${cents}
      where id = ${paymentId}`
  })
  return id
}

/** Token units of addresses by the latest block. */
export async function unitsOf(
  { line, ask }: Pick<SettlementStand, 'line' | 'ask'>,
  addresses: readonly Hex[],
): Promise<readonly bigint[]> {
  const block = Number(await ask('eth_blockNumber', []))
  const answer = await line.chain.balances(addresses, block)
  if (answer.kind !== 'agreed') throw new Error(answer.kind)
  return answer.value.map((text) => BigInt(text))
}

/** The ledger's sums, by kind, in cents. */
export async function ledgerCents(sql: Sql): Promise<{ readonly [kind: string]: number }> {
  const rows = await sql<{ kind: string; cents: number }[]>`
    select kind, (sum(balance) / 10000)::bigint as cents from ledger_accounts group by kind`
  return Object.fromEntries(rows.map(({ kind, cents }) => [kind, cents]))
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
