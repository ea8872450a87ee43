// Many payments of one payee on a node that mines a block a second: batches, gas and wall time of
// the settler, beside a bare script that sends the same number of signed batches.
import { tx } from '../../api/database/transaction.ts'
import type { Hex } from '../../api/payments/chain/hex.ts'
import { closeBatch } from '../../api/payments/settlement-batches/index.ts'
import { callOf, encodeBatch } from '../../api/payments/settler/encode.ts'
import { runRound } from '../../api/payments/settler/round.ts'
import { listChainItems, listOpenBatches } from '../../api/payments/settler/store.ts'
import { readWallet } from '../../api/payments/settler/wallet-store.ts'
import { sleep } from '../../shared/clock.ts'
import { type Payee, type Payer, pay, type SettlementStand } from '../../test/harness/settlement.ts'
import { measureOnChain } from '../chain-stand.ts'
import { rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'

const BATCH = 100
const PAYMENTS = { full: 10_000, quick: 800 }
const CENTS = 10
const ROUND_MS = 50
const BLOCK_S = 1
const WALL_MS_MAX = 300_000
const WALL_RATIO_MAX = 1.5
const CPU_RATIO_MAX = 4

export function measureBatches(options: BenchOptions): Promise<Findings> {
  return measureOnChain(options, measure)
}

interface Crowd {
  at: SettlementStand
  payers: readonly Payer[]
  payee: Payee
}

async function measure(at: SettlementStand, options: BenchOptions): Promise<Findings> {
  const count = options.quick ? PAYMENTS.quick : PAYMENTS.full
  const tenant = await at.newTenant()
  const crowd: Crowd = { at, payers: [], payee: await at.addPayee(tenant, 0) }
  options.log('Funding ' + BATCH + ' accounts, and a first payment of each.')
  const payers: Payer[] = []
  for (let number = 0; number < BATCH; number++) payers.push(await at.addPayer(tenant, 1_000_000))
  const all = { ...crowd, payers }
  await at.mine(2)
  await at.round()
  await payMany(all, BATCH)
  await at.ask('evm_setIntervalMining', [BLOCK_S])
  await settleAll(at)
  const before = await settled(at)
  options.log('Settling ' + count + ' payments.')
  await payMany(all, count)
  const ours = await settleAll(at)
  const after = await settled(at)
  options.log('Sending as many signed batches by a bare script.')
  await payMany(all, count)
  const bare = await sendBare(all, count / BATCH)
  const batches = after.batches - before.batches
  const gasEach = Math.round((after.gas - before.gas) / count)
  const cpuEach = rounded(ours.cpuMs / count)
  const bareEach = rounded(bare.cpuMs / count)
  const seconds = (ms: number): number => rounded(ms / 1000)
  return {
    lines: [
      count + ' payments in ' + batches + ' batches, ' + gasEach + ' gas each',
      'until final, s: the settler ' + seconds(ours.wallMs) + ', bare ' + seconds(bare.wallMs),
      'processor time of a payment, ms: ' + cpuEach + ', encode and sign alone ' + bareEach,
    ],
    figures: {
      ...{ payments: count, batches, gas_each: gasEach, wall_s: seconds(ours.wallMs) },
      ...{ bare_wall_s: seconds(bare.wallMs), cpu_ms_each: cpuEach, bare_cpu_ms_each: bareEach },
    },
    targets: [
      {
        sentence: 'batches of ' + count + ' payments, of ' + count / BATCH,
        ratio: rounded(batches / (count / BATCH)),
        atMost: 1,
      },
      {
        sentence: 'wall time of the settler : a bare script that sends signed batches',
        ratio: rounded(ours.wallMs / bare.wallMs),
        atMost: WALL_RATIO_MAX,
      },
      {
        sentence: 'processor time of the settler : encode and sign alone',
        ratio: rounded(ours.cpuMs / bare.cpuMs),
        atMost: CPU_RATIO_MAX,
      },
    ],
    flaws: [],
  }
}

async function payMany({ at, payers, payee }: Crowd, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const payer = payers[number % payers.length]
    if (payer !== undefined) await pay(at, { payer, payee, cents: CENTS })
  }
}

interface Spent {
  wallMs: number
  cpuMs: number
}

/** Rounds until every capture has landed; processor time of this process meanwhile. */
async function settleAll(at: SettlementStand): Promise<Spent> {
  const { line, state } = await at.newLine()
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  while (performance.now() - began < WALL_MS_MAX) {
    await runRound(line, state)
    const [row] = await at.sql<{ waiting: boolean }[]>`
      select exists (select from payment_captures where status <> 'landed') as waiting`
    if (row?.waiting === false) return spentSince(began, cpu)
    await sleep(ROUND_MS)
  }
  throw new Error('captures do not land')
}

function spentSince(began: number, cpu: NodeJS.CpuUsage): Spent {
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs: performance.now() - began, cpuMs: (user + system) / 1000 }
}

async function settled({ sql }: SettlementStand): Promise<{ batches: number; gas: number }> {
  const [row] = await sql<{ batches: number; gas: number }[]>`
    select count(*)::int as batches, coalesce(sum(gas_used), 0)::bigint as gas
    from settlement_batches where status = 'completed'`
  return row ?? { batches: 0, gas: 0 }
}

/** Signs first, then sends everything and waits until the last one is final. */
async function sendBare({ at, payee }: Crowd, batches: number): Promise<Spent> {
  const { line } = await at.newLine()
  const { config, signer, chain, sql } = line
  const now = at.clock.nowMs
  const account = {
    ...{ id: payee.id, tenantId: payee.tenant.tenantId, environment: 'sandbox' as const },
    chainId: config.chainId,
  }
  const closing = { account, trigger: 'size', drawableCents: 0, now, tenantNow: now } as const
  for (let batch = 0; batch < batches; batch++) await tx(sql, (inner) => closeBatch(inner, closing))
  const open = await listOpenBatches(sql, config.chainId, batches)
  const [first] = open
  const call = first === undefined ? null : await encodeBatch(line, first)
  const rehearsal = call === null ? null : await chain.rehearse(signer.address, call)
  const fees = await chain.fees()
  const wallet = await readWallet(sql, config.chainId)
  if (rehearsal?.kind !== 'passed' || fees === null || wallet === null)
    throw new Error('a bare batch is refused')
  const items = await Promise.all(open.map(({ id }) => listChainItems(sql, id)))
  const cpu = process.cpuUsage()
  const signed: Hex[] = []
  for (const [at, { id }] of open.entries()) {
    const { bytes } = await signer.signTransaction({
      ...{ chainId: config.chainId, nonce: wallet.nextNonce + at, to: config.settlement },
      ...{ data: callOf(config, id, items[at] ?? []) as Hex, gas: rehearsal.gas },
      ...{ maxFeePerGas: fees.max, maxPriorityFeePerGas: fees.tip },
    })
    signed.push(bytes)
  }
  const { cpuMs } = spentSince(0, cpu)
  const began = performance.now()
  for (const bytes of signed) await at.ask('eth_sendRawTransaction', [bytes])
  while (performance.now() - began < WALL_MS_MAX) {
    const finalized = await chain.finalized()
    const used = finalized === null ? null : await chain.nonce(signer.address, finalized.number)
    if (used?.kind === 'agreed' && used.value >= wallet.nextNonce + batches)
      return { wallMs: performance.now() - began, cpuMs }
    await sleep(ROUND_MS)
  }
  throw new Error('bare batches do not become final')
}
