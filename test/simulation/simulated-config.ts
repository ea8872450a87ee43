// The configuration of a simulated world: three cards of one cardholder of each tenant, with
// limits, one of which never asks its tenant. Cards are suspended and resumed and tenants change
// their shard while messages are under way; every change has its own version.
import type { ConfigReader } from '../../engine/config-cache/reader.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type {
  CardConfig,
  ControlsConfig,
  FxRateConfig,
  LimitConfig,
} from '../../shared/wire/config-records.ts'
import { controlsConfig, endpointConfig, judgedConfig, limitConfig } from '../harness/judged.ts'

/** Cards of one tenant. */
export const CARDS = 3
export const CARD_DAILY = 5000
/** Shared by all cards, so that one card's reservation must be visible to the others. */
export const CARDHOLDER_DAILY = 12_000
/** The rolling window is short, so that increments fall outside the window of their original. */
const ROLLING_SECONDS = 90
const ROLLING = 4500
const ROLLING_COUNT = 6
const HOLD_HOURS = 24
/** US dollars for one euro. */
export const EUR_RATE = 1.1
/** The limits of credits, per authorization and per day. */
export const CREDIT_LIMIT = { per_authorization_cents: 1500, per_card_per_day_cents: 2500 }
/** Half a day away from UTC's windows. */
export const CARDHOLDER_ZONE = 'Pacific/Auckland'

const [QUIET, ASKS] = ['prog_quiet_', 'prog_asks_']

/** The tenant of a card, by their numbers. */
export function tenantOf(card: number): number {
  return Math.floor(card / CARDS)
}

export class SimulatedConfig implements ConfigReader {
  readonly cursor = '1:1:'
  readonly databaseId = 'simulation'
  changes = 0
  readonly #base = judgedConfig()
  readonly #versions: number[]
  readonly #suspended: boolean[]
  /** The shard of each tenant. */
  readonly #placed: string[]

  /** The shard of each tenant, by its number; one tenant and one shard when absent. */
  constructor(placed: readonly string[] = [FIRST_SHARD]) {
    this.#placed = [...placed]
    this.#versions = new Array<number>(CARDS * placed.length).fill(1)
    this.#suspended = new Array<boolean>(CARDS * placed.length).fill(false)
  }

  place(tenant: number, shard: string): void {
    this.changes += 1
    this.#placed[tenant] = shard
  }

  /** Suspends an active card, resumes a suspended one. */
  toggle(card: number): void {
    this.changes += 1
    this.#versions[card] = (this.#versions[card] ?? 0) + 1
    this.#suspended[card] = this.#suspended[card] === false
  }

  resumeAll(): void {
    for (const card of this.#suspended.keys()) if (this.#suspended[card] === true) this.toggle(card)
  }

  cardByToken(token: string): CardConfig {
    const number = Number(token.slice('tok_'.length))
    const tenant = tenantOf(number)
    return {
      ...this.#base.card,
      id: 'card_' + number,
      version: this.#versions[number] ?? 1,
      status: this.#suspended[number] === true ? 'suspended' : 'active',
      token,
      windows_id: 'card_' + number,
      cardholder_id: 'ch_' + (tenant + 1),
      program_id: (number % CARDS === 0 ? QUIET : ASKS) + tenant,
    }
  }

  cardByFingerprint(): null {
    return null
  }

  card(id: string): CardConfig {
    return this.cardByToken('tok_' + id.slice('card_'.length))
  }

  cardholder(id: string) {
    return { ...this.#base.cardholder, id }
  }

  program(id: string) {
    return {
      ...this.#base.program,
      id,
      realtime: !id.startsWith(QUIET),
      shard: this.#placed[Number(id.split('_')[2])] ?? null,
      endpoint_id: 'we_1',
      credit_limit: CREDIT_LIMIT,
      hold_expiry: [{ mccs: null, card_present: null, initiator: null, hours: HOLD_HOURS }],
    }
  }

  controls(id: string): ControlsConfig | null {
    if (id.startsWith('card_')) {
      const limits = [
        daily(CARD_DAILY, 'UTC'),
        limitConfig({
          id: 'lim_rolling',
          interval: 'rolling',
          rolling_seconds: ROLLING_SECONDS,
          amount_cents: ROLLING as MinorUnits,
          count: ROLLING_COUNT,
        }),
      ]
      return controlsConfig({ id, limits })
    }
    return id.startsWith('ch_')
      ? controlsConfig({
          id,
          scope: 'cardholder',
          limits: [daily(CARDHOLDER_DAILY, CARDHOLDER_ZONE)],
        })
      : null
  }

  endpoint() {
    return endpointConfig()
  }

  fxRate(id: string): FxRateConfig | null {
    return id === 'EUR/USD'
      ? { type: 'fx_rate', id, version: 1, rate: String(EUR_RATE), rate_at_ms: 0 }
      : null
  }

  authentication(): null {
    return null
  }

  walletToken(): null {
    return null
  }

  networkKeys() {
    return []
  }

  root(): null {
    return null
  }
}

function daily(amount: number, zone: string): LimitConfig {
  return limitConfig({ id: 'lim_' + zone, amount_cents: amount as MinorUnits, time_zone: zone })
}
