// One payment of the sandbox, played whole: a holder with a software passkey pays a shop, the real
// pages confirm it, the settler lands it on the chain. Printed with times and the chain's balances.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../api/database/pool.ts'
import { openOutsideCaller } from '../../api/http/outside-caller.ts'
import { createJsonRpc, type JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { type Client, createClient, type Payment, SvcError } from '../../client/index.ts'
import { type Clock, sleep } from '../../shared/clock.ts'
import { centsOfUnits, unitsOfCents } from '../../shared/token-units.ts'
import { CHAIN_FILE, OWNER_FILE } from '../chain-peer/config.ts'
import { type Hex, mint, tokensOf } from '../chain-peer/deploy.ts'
import { approveOn, enrolOn } from '../holder-peer/pages.ts'
import { createPasskey, type KeptPasskey, type Passkey } from '../holder-peer/passkey.ts'
import { seconds } from './progress.ts'
import { type SandboxSecrets, writePrivateFile } from './sandbox-secrets.ts'
import { ensureShop } from './seed/shop.ts'

/** The holder's passkey and account, and the shop's, for the next start. */
const HOLDER_FILE = 'holder.json'
const AMOUNT_CENTS = 1250
const FUNDS_CENTS = 10_000
const POLL_MS = 100
/** Longest wait for a block to be final. */
const WAIT_MS_MAX = 30_000
const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 1_000_000

export interface PlayedPayment {
  apiUrl: string
  sql: Sql
  clock: Clock
  secrets: SandboxSecrets
  chainDirectory: string
  signal: AbortSignal
  cards: readonly { id: string; status: string }[]
}

interface World extends PlayedPayment {
  client: Client
  rpc: JsonRpc
  chain: { chainId: number; token: Hex; ownerKey: Hex }
}

interface Holder {
  accountId: string
  address: Hex
  passkey: Passkey
}

/** Lines for the terminal. A failure is one line: the service runs already. */
export async function playPayment(played: PlayedPayment): Promise<string[]> {
  try {
    return await play(openWorld(played))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return ['The payment was not played to its end: ' + reason]
  }
}

/** A wait that took too long. */
class Unfinished extends Error {}

async function play(world: World): Promise<string[]> {
  const { client, clock } = world
  const { sql, secrets, chain } = world
  const known = { tenantId: secrets.tenant_id, chainId: chain.chainId, now: clock.nowMs() }
  const shop = await ensureShop(sql, known)
  const holder = await holderOf(world)
  await fund(world, holder)
  const before = await balances(world, holder, shop.address)
  const startedNs = clock.monotonicNs()
  const lines: string[] = []
  const tell = (text: string): void => {
    lines.push('  +' + seconds(clock.monotonicNs() - startedNs) + '  ' + text)
  }
  const payment = await client.createPayment({
    payment_account_id: holder.accountId,
    settlement_account_id: shop.id,
    amount_cents: AMOUNT_CENTS,
    description: 'A book',
  })
  tell('authorized by the engine: ' + payment.id)
  const page = await approveOn(payment.confirmation?.url ?? '', holder.passkey)
  if (page.status !== 200) throw new Unfinished('the page answered ' + page.status)
  tell('confirmed by a passkey on the page of the holder')
  await client.capturePayment({ id: payment.id, amount_cents: AMOUNT_CENTS })
  tell('capture asked')
  const landed = await until(world, () => client.getPayment({ id: payment.id }), isSettled)
  tell(landed.status + ', final on the chain')
  const batch = await client.getSettlementBatch({
    id: landed.captures[0]?.settlement_batch_id ?? '',
  })
  const after = await balances(world, holder, shop.address)
  return [
    'A payment of ' + dollars(AMOUNT_CENTS) + ' on the chain of this sandbox',
    ...lines,
    '  batch ' + batch.id + ' ' + batch.status + ': block ' + batch.block_number,
    '  transaction ' + batch.transaction_hash + ', gas ' + batch.gas_used,
    '  holder ' + dollars(before.holder) + ' → ' + dollars(after.holder),
    '  shop   ' + dollars(before.shop) + ' → ' + dollars(after.shop),
  ]
}

function openWorld(played: PlayedPayment): World {
  const { chainDirectory, apiUrl, secrets, clock } = played
  const read = (file: string) => JSON.parse(readFileSync(join(chainDirectory, file), 'utf8'))
  const { chain_id: chainId, token, rpc_urls: urls } = read(CHAIN_FILE)
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  return {
    ...played,
    client: createClient({ baseUrl: apiUrl, key: secrets.keys.write, timeoutMs: CALL_MS_MAX }),
    rpc: createJsonRpc(urls[0], openOutsideCaller({ clock, ...bounds })),
    chain: { chainId, token, ownerKey: read(OWNER_FILE).key },
  }
}

/** The holder of an earlier start, else one with a fresh passkey, enrolled on the real page. */
async function holderOf(world: World): Promise<Holder> {
  const { client, apiUrl, chainDirectory, cards } = world
  const path = join(chainDirectory, HOLDER_FILE)
  const kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  const account = kept === null ? null : await accountOf(client, kept.account_id)
  if (account?.status === 'active' && account.address !== null) {
    const passkey = createPasskey(kept.origin, kept.passkey as KeptPasskey)
    return { accountId: account.id, address: account.address as Hex, passkey }
  }
  const card = cards.find(({ status }) => status === 'active')
  if (card === undefined) throw new Unfinished('the sandbox has no active card')
  const { cardholder_id } = await client.getCard({ id: card.id })
  const made = await client.createPaymentAccount({ cardholder_id })
  const url = made.enrolment_url ?? apiUrl
  const { origin } = new URL(url)
  const passkey = createPasskey(origin)
  const page = await enrolOn(url, passkey)
  if (page.status !== 200) throw new Unfinished('the enrolment page answered ' + page.status)
  const record = { account_id: made.id, origin, passkey: passkey.keep() }
  writePrivateFile(path, JSON.stringify(record, null, 2) + '\n')
  const { address } = await client.getPaymentAccount({ id: made.id })
  return { accountId: made.id, address: address as Hex, passkey }
}

/** Null where a wipe or another database forgot the account. */
async function accountOf(client: Client, id: string) {
  try {
    return await client.getPaymentAccount({ id })
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return null
    throw error
  }
}

/** The holder has money once a final block shows it. */
async function fund(world: World, { accountId, address }: Holder): Promise<void> {
  const { client, rpc, chain } = world
  const read = () => client.getPaymentAccount({ id: accountId })
  if ((await read()).available_cents >= AMOUNT_CENTS) return
  await mint(rpc, { ...chain, to: address, units: unitsOfCents(FUNDS_CENTS) })
  await until(world, read, ({ available_cents }) => available_cents >= AMOUNT_CENTS)
}

async function balances({ rpc, chain }: World, { address }: Holder, shop: Hex) {
  const centsAt = async (of: Hex) => centsOfUnits(await tokensOf(rpc, chain.token, of))
  return { holder: await centsAt(address), shop: await centsAt(shop) }
}

function isSettled({ status }: Payment): boolean {
  return status === 'captured' || status === 'failed'
}

async function until<Value>(
  { clock, signal }: World,
  read: () => Promise<Value>,
  enough: (value: Value) => boolean,
): Promise<Value> {
  const endMs = clock.nowMs() + WAIT_MS_MAX
  for (;;) {
    const value = await read()
    if (enough(value)) return value
    if (clock.nowMs() > endMs) throw new Unfinished('no final block within 30 s')
    await sleep(POLL_MS, signal)
  }
}

function dollars(cents: number): string {
  return Math.floor(cents / 100) + '.' + String(cents % 100).padStart(2, '0') + ' USD'
}
