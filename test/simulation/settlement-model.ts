// A seeded run of settling on a real node and a real database: payments, captures and refunds at
// random, among blocked accounts, replaced blocks, lost transactions, lying RPCs and restarts. A
// model of the money is kept beside it; both must tell the same at the end.
import type { JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { runRound } from '../../api/payments/settler/round.ts'
import type { RpcFake } from '../fakes/rpc.ts'
import { loseClosings, loseSends } from '../harness/failover.ts'
import {
  capture,
  type Paid,
  type Payee,
  type Payer,
  pay,
  refund,
  type SettlementStand,
  unitsOf,
} from '../harness/settlement.ts'
import type { Random } from './random.ts'

const STEPS = 24
const PAYERS = 3
const FUNDED_CENTS = 2000
const CENTS_MAX = 300
/** Rounds after which everything that can land has landed. */
const ROUNDS_MAX = 40
const UNITS = 10_000n

export interface ModelStand {
  at: SettlementStand
  /** A second RPC that a run makes lie. */
  fake: RpcFake
  rpcs: readonly JsonRpc[]
}

interface Approved extends Paid {
  payer: Payer
  approvedCents: number
  askedCents: number
  bits: number
}

interface CaptureRow {
  id: string
  paymentId: string
  status: string
  cents: number
}

/** Problems of one run; empty: model, ledger and chain agree. */
export async function runSettlement(stand: ModelStand, random: Random): Promise<string[]> {
  const run = await SettlementRun.begin(stand, random)
  for (let step = 0; step < STEPS && run.problems.length === 0; step++) await run.step()
  await run.finish()
  return run.problems
}

class SettlementRun {
  readonly problems: string[] = []
  readonly #stand: ModelStand
  readonly #random: Random
  readonly #payee: Payee
  readonly #payers: readonly Payer[]
  readonly #approved: Approved[] = []
  readonly #blocked = new Set<Payer>()
  #line: Awaited<ReturnType<SettlementStand['newLine']>>

  static async begin(stand: ModelStand, random: Random): Promise<SettlementRun> {
    const { at } = stand
    const tenant = await at.newTenant()
    const payee = await at.addPayee(tenant, 0)
    const payers: Payer[] = []
    for (let number = 0; number < PAYERS; number++)
      payers.push(await at.addPayer(tenant, FUNDED_CENTS))
    await at.mine(2)
    const line = await at.newLine(stand.rpcs)
    await runRound(line.line, line.state)
    return new SettlementRun(stand, random, { payee, payers, line })
  }

  private constructor(
    stand: ModelStand,
    random: Random,
    parts: {
      payee: Payee
      payers: readonly Payer[]
      line: Awaited<ReturnType<SettlementStand['newLine']>>
    },
  ) {
    this.#stand = stand
    this.#random = random
    this.#payee = parts.payee
    this.#payers = parts.payers
    this.#line = parts.line
  }

  /** One thing happens. */
  async step(): Promise<void> {
    const { at, fake } = this.#stand
    const action = this.#random.below(14)
    if (action < 3) await this.#pay()
    else if (action === 3) await this.#captureMore()
    else if (action === 4) await this.#refund()
    else if (action === 5) await this.#block()
    else if (action === 6) await at.ask('anvil_reorg', [1, []])
    else if (action === 7) await at.ask('anvil_dropAllTransactions', [])
    else if (action === 8) this.#line = await at.newLine(this.#stand.rpcs)
    else if (action === 9) fake.change = this.#random.pick(LIES)
    else if (action === 10) await this.#forget()
    else await at.mine(1 + this.#random.below(3))
    await this.#round()
    fake.change = () => undefined
  }

  /** Everything that can land lands; then each cent is counted. */
  async finish(): Promise<void> {
    const { at } = this.#stand
    for (const payer of this.#blocked) await this.#setBlocked(payer, false)
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#round()
      if ((await this.#waiting()) === 0) break
      await at.mine(1)
      at.clock.nowMs += 1000
    }
    await at.mine(3)
    await this.#round()
    if ((await this.#waiting()) > 0) this.problems.push('captures or refunds do not end')
    await this.#compare()
  }

  async #round(): Promise<void> {
    await runRound(this.#line.line, this.#line.state)
    await this.#nothingEarly()
  }

  async #pay(): Promise<void> {
    const { at } = this.#stand
    const payer = this.#random.pick(this.#payers)
    const held = this.#approved
      .filter((each) => each.payer === payer)
      .reduce((sum, { approvedCents }) => sum + approvedCents, 0)
    const of = 1 + this.#random.below(CENTS_MAX)
    if (held + of > FUNDED_CENTS) return
    const cents = 1 + this.#random.below(of)
    const paid = await pay(at, { payer, payee: this.#payee, cents, of })
    this.#approved.push({ ...paid, payer, approvedCents: of, askedCents: cents, bits: 1 })
  }

  async #captureMore(): Promise<void> {
    const open = this.#approved.filter(
      ({ approvedCents, askedCents }) => askedCents < approvedCents,
    )
    if (open.length === 0) return
    const chosen = this.#random.pick(open)
    const { payer, paymentId, bits: bit } = chosen
    const [payment] = await this.#stand.at.sql<{ status: string }[]>`
      select status from payments where id = ${paymentId}`
    if (payment === undefined || ['failed', 'refunded'].includes(payment.status)) return
    const cents = 1 + this.#random.below(chosen.approvedCents - chosen.askedCents)
    await capture(this.#stand.at, { payer, paymentId, cents, bit })
    chosen.askedCents += cents
    chosen.bits += 1
  }

  async #refund(): Promise<void> {
    const { at } = this.#stand
    const [row] = await at.sql<{ id: string; cents: number }[]>`
      select id, captured_cents - refunded_cents - refund_pending_cents as cents from payments
      where settlement_account_id = ${this.#payee.id}
        and captured_cents > refunded_cents + refund_pending_cents
        and status in ('captured', 'partially_captured', 'partially_refunded')
      order by id limit 1`
    if (row === undefined) return
    await refund(at, { paymentId: row.id, cents: 1 + this.#random.below(row.cents) })
  }

  async #block(): Promise<void> {
    const payer = this.#random.pick(this.#payers)
    await this.#setBlocked(payer, !this.#blocked.has(payer))
  }

  async #setBlocked(payer: Payer, blocked: boolean): Promise<void> {
    await this.#stand.at.sandbox.callToken('setBlocked', [payer.address, blocked])
    // A replaced block would take the issuer's own transaction with it.
    await this.#stand.at.mine(1)
    if (blocked) this.#blocked.add(payer)
    else this.#blocked.delete(payer)
  }

  /** A standby takes over without the last sends, or closings; the pool has some of them. */
  async #forget(): Promise<void> {
    const { sql, ask } = this.#stand.at
    const live = await sql<{ nonce: number }[]>`
      select distinct nonce from settlement_attempts where final_block is null order by nonce`
    const from = live[this.#random.below(live.length + 1)]?.nonce
    if (from === undefined) return
    await loseSends(sql, from)
    if (this.#random.below(2) === 0) await loseClosings(sql)
    if (this.#random.below(2) === 0) await ask('anvil_dropAllTransactions', [])
  }

  /** Refunds without captures wait for the payee's money, which a run does not give them. */
  async #waiting(): Promise<number> {
    const [row] = await this.#stand.at.sql<{ count: number }[]>`
      select (select count(*) from payment_captures c join payments p on p.id = c.payment_id
        where p.settlement_account_id = ${this.#payee.id}
          and c.status in ('pending', 'submitted', 'included')) +
        (select count(*) from payment_refunds r join payments p on p.id = r.payment_id
        where p.settlement_account_id = ${this.#payee.id}
          and r.status in ('submitted', 'included')) as count`
    return row?.count ?? 0
  }

  /** No batch is completed in a block that is not final, or that the chain does not have. */
  async #nothingEarly(): Promise<void> {
    const { at } = this.#stand
    const landed = await at.sql<{ id: string; number: number; hash: Buffer }[]>`
      select id, block_number as number, block_hash as hash from settlement_batches
      where settlement_account_id = ${this.#payee.id} and status = 'completed'`
    const final = await at.line.chain.finalized()
    for (const { id, number, hash } of landed) {
      const there = await at.line.chain.block(number)
      const same = there.kind === 'agreed' && there.value.hash === '0x' + hash.toString('hex')
      if (!same || number > (final?.number ?? 0))
        this.problems.push(id + ' is completed before its block ' + number + ' is final')
    }
  }

  async #compare(): Promise<void> {
    const { at } = this.#stand
    const captures = await at.sql<CaptureRow[]>`
      select c.id, c.payment_id as "paymentId", c.status, c.amount_cents as cents
      from payment_captures c join payments p on p.id = c.payment_id
      where p.settlement_account_id = ${this.#payee.id}`
    const refunds = await at.sql<CaptureRow[]>`
      select r.id, r.payment_id as "paymentId", r.status, r.amount_cents as cents
      from payment_refunds r join payments p on p.id = r.payment_id
      where p.settlement_account_id = ${this.#payee.id}`
    const landed = captures.filter(({ status }) => status === 'landed')
    const returned = refunds.filter(({ status }) => status === 'landed')
    await this.#compareBalances(landed, returned)
    await this.#compareEvents(captures, returned)
    for (const { paymentId, approvedCents } of this.#approved) {
      const taken = sumOf(landed.filter((each) => each.paymentId === paymentId))
      if (taken > approvedCents) this.problems.push(paymentId + ' took more than was approved')
    }
  }

  /** A and C: chain, ledger and model have the same cents of everybody. */
  async #compareBalances(
    landed: readonly CaptureRow[],
    returned: readonly CaptureRow[],
  ): Promise<void> {
    const { at } = this.#stand
    const { settlement } = at.config
    const ofPayer = (rows: readonly CaptureRow[], payer: Payer): number => {
      const own = this.#approved.filter((each) => each.payer === payer)
      return sumOf(rows.filter((row) => own.some(({ paymentId }) => paymentId === row.paymentId)))
    }
    const expected = [
      ...this.#payers.map(
        (payer) => FUNDED_CENTS - ofPayer(landed, payer) + ofPayer(returned, payer),
      ),
      ...[sumOf(landed) - sumOf(returned), 0],
    ]
    const addresses = [...this.#payers, this.#payee].map(({ address }) => address)
    const units = await unitsOf(at, [...addresses, settlement])
    for (const [index, cents] of expected.entries())
      if (units[index] !== BigInt(cents) * UNITS)
        this.problems.push('the chain has ' + units[index] + ' of ' + cents + ' cents at ' + index)
    const books = await at.sql<{ owner: string; cents: number }[]>`
      select owner_id as owner, (sum(balance) / 10000)::bigint as cents from ledger_accounts
      where owner_id = any(${[...this.#payers, this.#payee].map(({ id }) => id)}::text[])
      group by owner_id`
    const byOwner = new Map(books.map(({ owner, cents }) => [owner, cents]))
    for (const [index, { id }] of [...this.#payers, this.#payee].entries())
      if ((byOwner.get(id) ?? 0) !== expected[index])
        this.problems.push('the ledger has ' + byOwner.get(id) + ' of ' + expected[index])
  }

  /** E: each landing and failure is told once, each batch once. */
  async #compareEvents(
    captures: readonly CaptureRow[],
    returned: readonly CaptureRow[],
  ): Promise<void> {
    const { at } = this.#stand
    const told = await at.sql<{ type: string; count: number }[]>`
      select type, count(*) as count from events
      where tenant_id = ${this.#payee.tenant.tenantId} group by type`
    const counts = new Map(told.map(({ type, count }) => [type, count]))
    const [batches] = await at.sql<{ completed: number; failed: number }[]>`
      select count(*) filter (where status = 'completed') as completed,
        count(*) filter (where status = 'failed') as failed
      from settlement_batches where settlement_account_id = ${this.#payee.id}`
    const of = (status: string): number => captures.filter((row) => row.status === status).length
    const expected = {
      'payment.captured': of('landed'),
      'payment.failed': of('failed'),
      'payment.refunded': returned.length,
      'payment.settlement_batch_completed': batches?.completed ?? 0,
      'payment.settlement_batch_failed': batches?.failed ?? 0,
    }
    for (const [type, count] of Object.entries(expected))
      if ((counts.get(type) ?? 0) !== count)
        this.problems.push(type + ' was told ' + counts.get(type) + ' times, not ' + count)
  }
}

/** Answers of one of two RPCs that make both disagree, or that are lost. */
const LIES: readonly RpcFake['change'][] = [
  (method) => (method === 'eth_getTransactionReceipt' ? null : undefined),
  (method, result) =>
    method === 'eth_getTransactionReceipt' && result !== null
      ? { ...(result as object), logs: [] }
      : undefined,
  (method) => (method === 'eth_getTransactionCount' ? '0x0' : undefined),
  () => 'lost',
]

function sumOf(rows: readonly { cents: number }[]): number {
  return rows.reduce((sum, { cents }) => sum + cents, 0)
}
