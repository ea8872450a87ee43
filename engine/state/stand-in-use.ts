// What stand-in approved without asking anybody: per card on the present UTC day, and per tenant in the running hour. Sums
// against the caps of a stand-in policy; changed by journal entries only. AUTHORIZATION.md 7.
//
// Chosen: an approval counts on the day and in the minute in which it was decided, by our own clock. A reversal gives nothing back: a cap bounds what was let through unasked.
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000
/** Chosen: the running hour is this many whole minutes and the present one, so it is rather too long than too short. */
const HOUR_MINUTES = 60

/** Something counted: for a card on a day, or for a tenant in a minute, both counted from 1970. */
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
  /** By tenant, environment and currency: sums by minute, oldest first, none older than the hour before the latest. */
  readonly #tenants = new Map<string, Map<number, number>>()

  /** Counts the entry where stand-in approved it. */
  apply(entry: DecisionEntry): void {
    const { decision, card, cardAmountCents } = entry
    if (!decision.standIn || !decision.approved || card === null) return
    const decidedAtMs = decision.decidedAtMs - entry.clockOffsetMs
    this.#addToCard(card.windowsId ?? card.cardId, dayOf(decidedAtMs), cardAmountCents)
    const key = tenantKey(card.tenantId, entry.environment, card.currency)
    this.#addToTenant(key, minuteOf(decidedAtMs), cardAmountCents)
  }

  /**
   * Minor units of the card's currency that stand-in approved on the UTC day of `nowMs`, for a card and those it replaced:
   * `windowsId` is that of the card's fact.
   */
  ofCard(windowsId: string, nowMs: number): number {
    return dayOf(nowMs) > this.#day ? 0 : (this.#cards.get(windowsId) ?? 0)
  }

  /** Minor units of one currency that stand-in approved in the hour before `nowMs`, over all cards of the tenant. */
  ofTenant(tenantId: string, environment: string, currency: string, nowMs: number): number {
    const minutes = this.#tenants.get(tenantKey(tenantId, environment, currency))
    if (minutes === undefined) return 0
    const from = minuteOf(nowMs) - HOUR_MINUTES
    let sum = 0
    for (const [minute, cents] of minutes) if (minute >= from) sum += cents
    return sum
  }

  /** Everything that still counts, for a snapshot. */
  *rows(): Iterable<StandInRow> {
    for (const [card, cents] of this.#cards) yield ['card', card, this.#day, cents]
    for (const [key, minutes] of this.#tenants)
      for (const [minute, cents] of minutes) yield ['tenant', key, minute, cents]
  }

  /** Puts a kept row back. */
  restore([scope, key, at, cents]: StandInRow): void {
    if (scope === 'card') this.#addToCard(key, at, cents)
    else this.#addToTenant(key, at, cents)
  }

  #addToCard(windowsId: string, day: number, cents: number): void {
    // A clock that was set back while the engine was away: what is known counts on.
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
    // Minutes come in order, so the old ones stand in front.
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
