// Cards and payments that compete for the last cent of a limit, and payments for the last cent of
// their account: in one process, with the tenant's replies in any order.
import { CALENDAR_INTERVALS, calendarDay } from '../../engine/state/calendar.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'
import { accountConfig, paymentFollowUp, paymentMessage } from '../harness/payment-messages.ts'
import { Random } from '../simulation/random.ts'
import type { FaultRun, Findings } from './fault.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const DAY_MS = 24 * 3_600_000
const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')
const LIMIT_CENTS = 1_000
const FUNDED_CENTS = 600
const TRIES_PER_KILL = 2_000
/** Tries of one line; its entries are replayed and compared at the end. */
const TRIES_PER_LINE = 2_500
const OPEN_MAX = 8

/** One cent that was approved, and can be given back. */
type Approved = { card: string } | { payment: ReturnType<typeof paymentMessage> }

/** As many tries as the effort says: 10^5 in the long form. */
export async function lastCent(t: FaultRun): Promise<Findings & { approved: number }> {
  const tries = t.effort.kills * TRIES_PER_KILL
  const problems: string[] = []
  let approved = 0
  for (let from = 0, seed = 1; from < tries && problems.length === 0; from += TRIES_PER_LINE) {
    const line = new LastCent(seed++)
    for (let tried = 0; tried < TRIES_PER_LINE && problems.length === 0; tried++)
      problems.push(...(await line.try()))
    problems.push(...line.compare())
    approved += line.approved
  }
  const injected = tries + ' tries at one remaining cent, ' + approved + ' of them approved'
  return { injected, problems: problems.slice(0, 10), approved }
}

class LastCent {
  approved = 0
  readonly #line = new LineInHand(NOON, {
    realtime: true,
    realtime_entitled: true,
    endpoint_id: 'we_1',
  })
  readonly #random: Random
  readonly #seed: number
  readonly #given: Approved[] = []
  #number = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#random = new Random(seed)
    const amount = LIMIT_CENTS as MinorUnits
    const limits = [limitConfig({ interval: 'all_time', amount_cents: amount })]
    this.#line.control('cardholder', { limits })
    this.#line.account = accountConfig({ funded_cents: FUNDED_CENTS })
  }

  /** One random step; returns the sums that are over afterwards. */
  async try(): Promise<string[]> {
    const line = this.#line
    const random = this.#random
    const id = 'try' + this.#number++
    if (line.asked.length > 0 && (line.asked.length === OPEN_MAX || random.chance(0.3)))
      line.answer(random.chance(0.6))
    if (this.#given.length > 0 && this.#remaining() === 0 && random.chance(0.4))
      await this.#giveBack(random.below(this.#given.length), id)
    else if (random.chance(0.5)) await this.#pay(id)
    else this.#buy(id)
    return this.#over(id)
  }

  /** The live state, the replayed one and the one of a snapshot. */
  compare(): string[] {
    while (this.#line.asked.length > 0) this.#line.answer(true)
    const contradiction = this.#line.contradiction()
    return contradiction === null ? [] : ['seed ' + this.#seed + ': ' + contradiction]
  }

  #remaining(): number {
    return LIMIT_CENTS - this.#sum('ch_1')
  }

  /** First large amounts until one cent is left, then cents. */
  #amount(): number {
    return Math.max(1, Math.min(this.#remaining() - 1, 1 + this.#random.below(90)))
  }

  async #pay(id: string): Promise<void> {
    const payment = paymentMessage({
      payment_id: 'pay_' + id,
      amount_cents: this.#amount(),
      hold_expires_at_ms: NOON + DAY_MS,
    })
    if ((await this.#line.pay(payment)) !== null) return
    this.approved += 1
    this.#given.push({ payment })
  }

  #buy(id: string): void {
    const answers = this.#line.sendOpen({
      network_transaction_id: id,
      amount_cents: this.#amount(),
    })
    // The tenant is asked, so an approval is not known yet; a reversal takes back either.
    if (answers.length > 0) return
    this.approved += 1
    this.#given.push({ card: id })
  }

  async #giveBack(at: number, id: string): Promise<void> {
    const [given] = this.#given.splice(at, 1)
    if (given === undefined) return
    if ('card' in given)
      this.#line.sendOpen({
        id: 'r' + id,
        kind: 'reversal',
        network_transaction_id: given.card,
        amount_cents: LIMIT_CENTS,
      })
    else {
      const { payment } = given
      if (this.#random.chance(0.3)) {
        const { amount_cents } = payment
        const change = { kind: 'capture', id: 'cap_' + id, amount_cents } as const
        await this.#line.pay(paymentFollowUp(payment, change))
        const abandoned = { kind: 'capture_reversal', id: 'rev_' + id, amount_cents } as const
        await this.#line.pay(paymentFollowUp(payment, abandoned))
      } else {
        const change = { kind: 'reversal', id: 'rev_' + id } as const
        await this.#line.pay(paymentFollowUp(payment, change))
      }
    }
  }

  #over(id: string): string[] {
    const sums = { ch_1: LIMIT_CENTS, pacc_1: FUNDED_CENTS }
    return Object.entries(sums).flatMap(([owner, most]) => {
      const sum = this.#sum(owner)
      return sum <= most ? [] : [`seed ${this.#seed}, ${id}: ${owner} has ${sum} of ${most}`]
    })
  }

  /** Counted and reserved in all time. */
  #sum(owner: string): number {
    const { meters } = this.#line.state
    const meter = meters.find(owner, 'UTC', 'USD')
    if (meter === -1) return 0
    const day = calendarDay('UTC', NOON).label
    return meters.used(meter, ALL_TIME, day) + meters.reserved(meter, ALL_TIME, day)
  }
}
