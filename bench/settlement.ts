// Settling on a real node: gas of a payment in each of its forms, by the receipts, and the
// settler's own processor time for a payment.
import { runRound } from '../api/payments/settler/round.ts'
import {
  capture,
  type Paid,
  type Payee,
  type Payer,
  pay,
  refund,
  type SettlementStand,
} from '../test/harness/settlement.ts'
import { measureOnChain } from './chain-stand.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'

const BATCH = 100
const CENTS = 10
const CAPTURES_OF_APPROVAL = 60
const ROUNDS_MAX = 60

/** Most gas of one payment, by its form. */
const BOUNDS = {
  'first payment of an account, with its deployment': 135_000,
  'payment of an account that stands': 75_000,
  'further capture under one approval': 20_000,
  refund: 42_000,
} as const
type Form = keyof typeof BOUNDS

export const SETTLEMENT: Measured = {
  name: 'settlement',
  seconds: { full: 120, quick: 60 },
  run: (options) => measureOnChain(options, measure),
}

async function measure(at: SettlementStand, options: BenchOptions): Promise<Findings> {
  const tenant = await at.newTenant()
  const payee = await at.addPayee(tenant, 0)
  options.log('Funding ' + BATCH + ' accounts.')
  const payers: Payer[] = []
  for (let number = 0; number < BATCH; number++) payers.push(await at.addPayer(tenant, 10_000))
  await at.mine(2)
  await at.round()
  const each = (of = CENTS) => payAll(at, { payers, payee, of })
  const gas = new Map<Form, number>()
  const cpu: number[] = []
  const settled = async (form: Form, asked: () => Promise<Asked>): Promise<void> => {
    options.log(form)
    const { items, beside } = await asked()
    const spent = await landAll(at)
    const others = beside * (gas.get('payment of an account that stands') ?? 0)
    gas.set(form, Math.round((spent.gas - others) / items))
    cpu.push(spent.cpuMs / (items + beside))
  }
  let paid: Paid[] = []
  await settled('first payment of an account, with its deployment', async () => {
    paid = await each()
    return { items: paid.length, beside: 0 }
  })
  await settled('payment of an account that stands', async () => ({
    items: (await each()).length,
    beside: 0,
  }))
  const [first] = payers as [Payer]
  await settled('further capture under one approval', () =>
    captureMore(at, { payer: first, payee }),
  )
  await settled('refund', () => refundBeside(at, { payer: first, payee, paid }))
  return findings(gas, cpu)
}

interface Asked {
  /** Number of the form that is measured. */
  items: number
  /** Payments of accounts that stand in the same batch. */
  beside: number
}

/** Captures under an approval of which the first one has landed. */
async function captureMore(
  at: SettlementStand,
  { payer, payee }: { payer: Payer; payee: Payee },
): Promise<Asked> {
  const { paymentId } = await pay(at, { payer, payee, cents: 1, of: CAPTURES_OF_APPROVAL + 1 })
  await landAll(at)
  for (let bit = 1; bit <= CAPTURES_OF_APPROVAL; bit++)
    await capture(at, { payer, paymentId, cents: 1, bit })
  return { items: CAPTURES_OF_APPROVAL, beside: 0 }
}

async function payAll(
  at: SettlementStand,
  { payers, payee, of }: { payers: readonly Payer[]; payee: Payee; of: number },
): Promise<Paid[]> {
  const paid: Paid[] = []
  for (const payer of payers) paid.push(await pay(at, { payer, payee, cents: of, of }))
  return paid
}

/** Refunds to accounts of their own, drawn from one capture in the same batch. */
async function refundBeside(
  at: SettlementStand,
  { payer, payee, paid }: { payer: Payer; payee: Payee; paid: readonly Paid[] },
): Promise<Asked> {
  const some = paid.slice(0, BATCH - 1)
  await pay(at, { payer, payee, cents: some.length * CENTS, of: some.length * CENTS })
  for (const { paymentId } of some) await refund(at, { paymentId, cents: CENTS })
  return { items: some.length, beside: 1 }
}

/** Rounds and blocks until nothing waits; gas of the batches, and processor time of the rounds. */
async function landAll(at: SettlementStand): Promise<{ gas: number; cpuMs: number }> {
  const { line, state } = await at.newLine()
  const before = await gasUsed(at)
  let cpuMs = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const cpu = process.cpuUsage()
    await runRound(line, state)
    const { user, system } = process.cpuUsage(cpu)
    cpuMs += (user + system) / 1000
    if ((await waiting(at)) === 0) return { gas: (await gasUsed(at)) - before, cpuMs }
    await at.mine(1)
  }
  throw new Error('captures do not land')
}

async function waiting({ sql }: SettlementStand): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (select count(*) from payment_captures where status not in ('landed', 'failed')) +
      (select count(*) from payment_refunds where status not in ('landed', 'failed')) as count`
  return row?.count ?? 0
}

async function gasUsed({ sql }: SettlementStand): Promise<number> {
  const [row] = await sql<{ gas: number }[]>`
    select coalesce(sum(gas_used), 0)::bigint as gas from settlement_batches
    where status = 'completed'`
  return row?.gas ?? 0
}

function findings(gas: ReadonlyMap<Form, number>, cpu: readonly number[]): Findings {
  const perPayment = Math.round((cpu.reduce((sum, ms) => sum + ms, 0) / cpu.length) * 100) / 100
  return {
    lines: [
      ...[...gas].map(([form, each]) => form + ': ' + each + ' gas'),
      perPayment + ' ms of the settler’s processor time a payment',
    ],
    figures: { gas: Object.fromEntries(gas), settler_cpu_ms_each: perPayment },
    targets: [...gas].map(([form, each]) => ({
      sentence: 'gas of a ' + form + ', of ' + BOUNDS[form],
      ratio: Math.round((each / BOUNDS[form]) * 100) / 100,
      atMost: 1,
    })),
    flaws: [],
  }
}
