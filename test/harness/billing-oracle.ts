// An independent account of what a subscription owes: prices are written down anew, periods are
// walked month by month, and usage is counted from the history as a whole at each boundary. It
// shares no code with the service.

export const ORACLE_METERS = [
  ...(['authorizations', 'cards_issued', 'identity_checks', 'passes_issued'] as const),
  'physical_cards',
] as const
export type OracleMeter = (typeof ORACLE_METERS)[number]
export type OraclePlan = 'starter' | 'growth'
export type OracleInterval = 'month' | 'year'

const MONTHS: { readonly [interval in OracleInterval]: number } = { month: 1, year: 12 }

interface Price {
  base: { readonly [interval in OracleInterval]: number }
  /** Included units, then cents of 1,000 units. */
  meters: { readonly [meter in OracleMeter]: readonly [included: number, cents: number] }
}

const ADDONS = { physical_cards: [0, 600_000], identity_checks: [0, 150_000] } as const
const PRICES: { readonly [plan in OraclePlan]: Price } = {
  starter: {
    base: { month: 4900, year: 49_000 },
    meters: {
      ...{ authorizations: [10_000, 900], cards_issued: [100, 10_000] },
      ...{ passes_issued: [1000, 2000], ...ADDONS },
    },
  },
  growth: {
    base: { month: 49_900, year: 499_000 },
    meters: {
      ...{ authorizations: [250_000, 500], cards_issued: [2500, 6000] },
      ...{ passes_issued: [25_000, 1000], ...ADDONS },
    },
  },
}

const MINIMUM = 50n

export interface OracleLine {
  kind: 'base' | 'usage' | 'late' | 'correction' | 'credit'
  plan: OraclePlan | null
  meter: OracleMeter | null
  quantity: number | null
  amount: number
  /** Milliseconds. */
  from: number
  until: number
}

export interface OracleInvoice {
  kind: 'period' | 'change' | 'final'
  ordinal: number
  total: number
  lines: OracleLine[]
}

interface Stretch {
  month: number
  from: number
  until: number
  plan: OraclePlan
}

interface Used {
  meter: OracleMeter
  moment: number
  count: number
}

interface Corrected {
  stretch: Stretch
  meter: OracleMeter
  count: number
}

interface Billed {
  quantity: number
  cents: bigint
}

/** The nearest whole number; a half goes up. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  const rest = numerator % denominator
  return numerator / denominator + (rest + rest >= denominator ? 1n : 0n)
}

/** The part of an amount that a period has until a moment. */
function partOf(amount: number, period: readonly [number, number], moment: number): bigint {
  const [from, to] = period
  return nearest(BigInt(amount) * BigInt(moment - from), BigInt(to - from))
}

/** The moment so many months after the anchor, found by walking. */
export function monthsAfter(anchor: number, months: number): number {
  const [date = '', time = ''] = new Date(anchor).toISOString().split('T')
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  let [y, m] = [year, month]
  for (let step = 0; step < months; step++) [y, m] = m === 12 ? [y + 1, 1] : [y, m + 1]
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] as number
  const two = (number: number): string => String(number).padStart(2, '0')
  return Date.parse([y, two(m), two(Math.min(day, days))].join('-') + 'T' + time)
}

export class BillingOracle {
  readonly invoices: OracleInvoice[] = []
  credit = 0n
  /** The month that runs. */
  month = 0
  readonly #anchor: number
  readonly #stretches: Stretch[] = []
  readonly #used: Used[] = []
  readonly #corrected: Corrected[] = []
  readonly #billed = new Map<string, Billed>()
  #plan: OraclePlan
  #interval: OracleInterval
  #baseMonth = 0
  #waiting: { plan: OraclePlan; interval: OracleInterval } | null = null
  #ends = false

  constructor(anchor: number, plan: OraclePlan, interval: OracleInterval) {
    this.#anchor = anchor
    this.#plan = plan
    this.#interval = interval
    this.#open()
    this.#invoice(
      { kind: 'period', ordinal: 0, lines: [this.#base(this.#period(), anchor)] },
      anchor,
    )
  }

  /** The month that runs, in milliseconds. */
  get span(): readonly [from: number, until: number] {
    return [monthsAfter(this.#anchor, this.month), monthsAfter(this.#anchor, this.month + 1)]
  }

  use(meter: OracleMeter, moment: number, count: number): void {
    this.#used.push({ meter, moment, count })
  }

  give(cents: number): void {
    this.credit += BigInt(cents)
  }

  /** Units of the last stretch of a month. */
  quantityOf(month: number, meter: OracleMeter): number {
    const stretch = this.#stretches.filter((one) => one.month === month).at(-1)
    return stretch === undefined ? 0 : this.#quantity(stretch, meter)
  }

  /** False where less than nothing would be left. */
  correct(month: number, meter: OracleMeter, count: number): boolean {
    const stretch = this.#stretches.filter((one) => one.month === month).at(-1)
    if (stretch === undefined || this.#quantity(stretch, meter) + count < 0) return false
    this.#corrected.push({ stretch, meter, count })
    return true
  }

  change(
    moment: number,
    next: { plan: OraclePlan; interval: OracleInterval },
    isNow: boolean,
  ): void {
    const isSame = next.plan === this.#plan && next.interval === this.#interval
    if (isSame || isNow) this.#waiting = null
    if (isSame) return
    if (!isNow) {
      this.#waiting = next
      return
    }
    const before = this.#period()
    const unused = this.#base(before, moment)
    const last = this.#stretches.at(-1) as Stretch
    const { until: ends } = last
    last.until = moment
    if (next.interval !== this.#interval) this.#baseMonth = this.month
    this.#plan = next.plan
    this.#interval = next.interval
    this.#stretches.push({ month: this.month, from: moment, until: ends, plan: next.plan })
    const lines = [{ ...unused, kind: 'credit' as const, amount: -unused.amount }]
    lines.push(this.#base(this.#period(), moment) as (typeof lines)[number])
    const ordinal = this.invoices.filter(({ kind }) => kind === 'change').length
    const priced = lines.filter(({ amount }) => amount !== 0)
    this.#invoice({ kind: 'change', ordinal, lines: priced }, moment)
  }

  cancel(): void {
    this.#waiting = null
    this.#ends = true
  }

  /** The month ends, and all of it is counted. */
  boundary(): void {
    const [, at] = this.span
    const ordinal = this.month + 1
    const isBase = ordinal === this.#baseMonth + MONTHS[this.#interval]
    const lines: OracleLine[] = []
    const isFinal = this.#ends && isBase
    if (isBase && !isFinal) {
      this.#plan = this.#waiting?.plan ?? this.#plan
      this.#interval = this.#waiting?.interval ?? this.#interval
      this.#waiting = null
      this.#baseMonth = ordinal
      lines.push(this.#base(this.#period(), at))
    }
    const open = this.#stretches.filter(({ month }) => month <= this.month)
    for (const stretch of open)
      for (const meter of ORACLE_METERS) lines.push(...this.#usage(stretch, meter))
    this.month = ordinal
    if (!isFinal) this.#open()
    this.#invoice({ kind: isFinal ? 'final' : 'period', ordinal, lines }, at)
  }

  #open(): void {
    const [from, until] = this.span
    this.#stretches.push({ month: this.month, from, until, plan: this.#plan })
  }

  #period(): readonly [number, number] {
    const from = monthsAfter(this.#anchor, this.#baseMonth)
    return [from, monthsAfter(this.#anchor, this.#baseMonth + MONTHS[this.#interval])]
  }

  /** The base price of the rest of a period. */
  #base(period: readonly [number, number], moment: number): OracleLine {
    const price = PRICES[this.#plan].base[this.#interval]
    const amount = Number(BigInt(price) - partOf(price, period, moment))
    const same = { kind: 'base' as const, plan: this.#plan, meter: null, quantity: null }
    return { ...same, amount, from: moment, until: period[1] }
  }

  #quantity(stretch: Stretch, meter: OracleMeter): number {
    const counted = this.#used
      .filter((one) => one.meter === meter)
      .filter(({ moment }) => moment >= stretch.from && moment < stretch.until)
    const corrected = this.#corrected.filter(
      (one) => one.stretch === stretch && one.meter === meter,
    )
    return [...counted, ...corrected].reduce((sum, { count }) => sum + count, 0)
  }

  #usage(stretch: Stretch, meter: OracleMeter): OracleLine[] {
    const quantity = this.#quantity(stretch, meter)
    const key = this.#stretches.indexOf(stretch) + ' ' + meter
    const before = this.#billed.get(key) ?? { quantity: 0, cents: 0n }
    const [included, price] = PRICES[stretch.plan].meters[meter]
    const month: [number, number] = [
      monthsAfter(this.#anchor, stretch.month),
      monthsAfter(this.#anchor, stretch.month + 1),
    ]
    const free = partOf(included, month, stretch.until) - partOf(included, month, stretch.from)
    const over = BigInt(quantity) - free
    const cents = over <= 0n ? 0n : nearest(over * BigInt(price), 1000n)
    this.#billed.set(key, { quantity, cents })
    const amount = Number(cents - before.cents)
    if (amount === 0) return []
    const later = amount > 0 ? 'late' : 'correction'
    const kind = stretch.month === this.month ? 'usage' : later
    const { from, until: ends } = stretch
    return [{ kind, plan: null, meter, quantity, amount, from, until: ends }]
  }

  /** Takes the credit; what is under the minimum is carried on, and waived at the end. */
  #invoice(made: Omit<OracleInvoice, 'total'>, at: number): void {
    const sum = made.lines.reduce((all, { amount }) => all + BigInt(amount), 0n)
    const owed = sum - this.credit
    const isCharged = owed >= MINIMUM
    const taken = isCharged ? -this.credit : -sum
    if (isCharged) this.credit = 0n
    else this.credit = made.kind === 'final' && owed > 0n ? 0n : -owed
    const none = { kind: 'credit' as const, plan: null, meter: null, quantity: null }
    const line = { ...none, amount: Number(taken), from: at, until: at }
    const lines = taken === 0n ? made.lines : [...made.lines, line]
    this.invoices.push({ ...made, lines, total: Number(isCharged ? owed : 0n) })
  }
}
