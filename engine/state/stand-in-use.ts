// Amounts that stand-in approved without the tenant: per card on the current UTC day, and per
// tenant in the last hour. Sums against the caps of a stand-in policy; only journal entries change
// them. Authorization 7.
//
// Chosen: an approval counts on the day and in the minute of its decision, by our own clock. A
// reversal returns nothing: a cap bounds the amount approved without the tenant.
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
/**
 * Chosen: the last hour is this many whole minutes plus the current one, so it is too long rather
 * than too short.
 */
const HOUR_MINUTES = 60

/** A counted amount: for a card on a day, or for a tenant in a minute, both counted from 1970. */
export type StandInRow = readonly [
  scope: 'card' | 'tenant',
  key: string,
  at: number,
  amountCents: number,
]

export class StandInUse {
  /** The day of the sums in `#cards`. */
  #day = 0
  readonly #cards = new Map<string, number>()
  /**
   * By tenant, environment and currency: sums by minute, oldest first, none older than the hour
   * before the latest.
   */
  readonly #tenants = new Map<string, Map<number, number>>()

  /** Counts the entry if stand-in approved it. */
  apply(entry: DecisionEntry): void {
    const { decision, card, cardAmountCents } = entry
    if (!decision.standIn || !decision.approved || card === null) return
    const decidedAtMs = decision.decidedAtMs - entry.clockOffsetMs
    this.#addToCard(card.windowsId, dayOf(decidedAtMs), cardAmountCents)
    const key = tenantKey(card.tenantId, entry.environment, card.currency)
    this.#addToTenant(key, minuteOf(decidedAtMs), cardAmountCents)
  }

  /**
   * Returns the minor units of the card's currency that stand-in approved on the UTC day of
   * `nowMs`, for a card and those it replaced: `windowsId` is that of the card's config record.
   */
  ofCard(windowsId: string, nowMs: number): number {
    return dayOf(nowMs) > this.#day ? 0 : (this.#cards.get(windowsId) ?? 0)
  }

  /**
   * Returns the minor units of one currency that stand-in approved in the hour before `nowMs`, over
   * all cards of the tenant.
   */
  ofTenant(tenantId: string, environment: string, currency: string, nowMs: number): number {
    const minutes = this.#tenants.get(tenantKey(tenantId, environment, currency))
    if (minutes === undefined) return 0
    const from = minuteOf(nowMs) - HOUR_MINUTES
    let sum = 0
    for (const [minute, cents] of minutes) if (minute >= from) sum += cents
    return sum
  }

  /** All sums that still count, for a snapshot. */
  *rows(): Iterable<StandInRow> {
    for (const [card, cents] of this.#cards) yield ['card', card, this.#day, cents]
    for (const [key, minutes] of this.#tenants)
      for (const [minute, cents] of minutes) yield ['tenant', key, minute, cents]
  }

  /** Restores a stored row. */
  restore([scope, key, at, cents]: StandInRow): void {
    if (scope === 'card') this.#addToCard(key, at, cents)
    else this.#addToTenant(key, at, cents)
  }

  #addToCard(windowsId: string, day: number, cents: number): void {
    // If the clock was set back while the engine was down, the known sums still count.
    if (day > this.#day) {
      this.#cards.clear()
      this.#day = day
    }
    this.#cards.set(windowsId, (this.#cards.get(windowsId) ?? 0) + cents)
  }

  #addToTenant(key: string, minute: number, cents: number): void {
    const minutes = this.#tenants.get(key) ?? new Map<number, number>()
    this.#tenants.set(key, minutes)
    minutes.set(minute, (minutes.get(minute) ?? 0) + cents)
    // Minutes come in order, so the old ones are first.
    for (const passed of minutes.keys()) {
      if (passed >= minute - HOUR_MINUTES) break
      minutes.delete(passed)
    }
  }
}

function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS)
}

function minuteOf(moment: number): number {
  return Math.floor(moment / MINUTE_MS)
}

/** Chosen: sandbox and live, and two currencies, never add up. */
function tenantKey(tenantId: string, environment: string, currency: string): string {
  return tenantId + ' ' + environment + ' ' + currency
}
