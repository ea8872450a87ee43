// The two loops of fan-out: one for calm tenants with a few events, one for tenants that are
// behind, with more events waiting than their pace or their share of a round allows. A tenant's
// backlog never delays another tenant's event: calm tenants wait for no round of the tenants
// behind, and no such round begins while a calm one runs.
import type { Clock } from '../../../shared/clock.ts'
import type { Sql } from '../../database/pool.ts'
import { createSignal } from '../../jobs/signal.ts'
import { type AddressedRound, addressRound, type BehindTenant } from './address.ts'
import type { Turn } from './fair-scheduler.ts'
import { fanOutQuota, type Pacing } from './pace.ts'
import { nameOf, type TenantKey } from './paces.ts'
import { findUrgentTenants, findWaitingTenants, TENANTS_MAX } from './tenant-quota.ts'
import type { RetrySchedule } from './verdict.ts'

/**
 * Most milliseconds until an event of a calm tenant is fanned out. The duration of a round shortens
 * the pause before it: when rounds take longer, the loop looks for new work more often, so events
 * leave as soon as before.
 */
const NOTICED_MS = 25
/** Weight of the latest round in the average duration. */
const LATEST_SHARE = 1 / 8
/**
 * Share of the average that an empty look removes: long rounds of a second ago say nothing about
 * now.
 */
const FORGOTTEN_SHARE = 1 / 64
/** Milliseconds between two rounds: a round costs the same for one event and for many. */
const ROUND_MS = 5
/** Milliseconds within which every tenant that is behind gets a round, when time allows. */
const CIRCLE_MS = 25
/** Longest wait in milliseconds; a signal ends it early. */
const WAIT_MS_MAX = 1000
/** Events of one transaction, shared between its tenants. */
const CALM_EVENTS_MAX = 64
const BEHIND_EVENTS_MAX = 128
/** Tenants remembered as behind; those beyond it go with the calm ones. */
const BEHIND_MAX = 1024

export interface FanOutOptions {
  sql: Sql
  clock: Clock
  schedule: RetrySchedule
  pacing: Pacing
  /** Dispatcher that leases. */
  owner: string
  /** Returns true when this new delivery may be sent at once. */
  admit(turn: Turn): boolean
  /** These were admitted in a round that failed. */
  refused(turns: readonly Turn[]): void
  addressed(round: AddressedRound): void
}

export class FanOut {
  readonly behindSignal = createSignal()
  readonly #options: FanOutOptions
  /** Current duration of a calm round in milliseconds, the look included. */
  #calmMs = 0
  #calmRound: Promise<unknown> = Promise.resolve()
  /** Tenants in round-robin order. */
  readonly #behind = new Map<string, BehindTenant>()
  #cursor: TenantKey | null = null

  constructor(options: FanOutOptions) {
    this.#options = options
  }

  /** Runs a round of calm tenants; returns the pause before the next. */
  async calm(): Promise<number> {
    const { sql, clock } = this.#options
    const beganNs = clock.monotonicNs()
    const asked = {
      after: this.#cursor,
      except: [...this.#behind.values()].map(({ tenant }) => tenant),
    }
    const { tenants, last } = await findWaitingTenants(sql, asked)
    const round = tenants.length === 0 ? null : await this.#ahead(tenants)
    this.#cursor = last
    if (round !== null && round.behind.length > 0) {
      this.#remember(round.behind)
      this.behindSignal.raise()
    }
    if (last !== null) return 0
    if (round === null || round.events === 0) {
      this.#calmMs -= this.#calmMs * FORGOTTEN_SHARE
      return Math.max(ROUND_MS, NOTICED_MS - this.#calmMs)
    }
    const tookMs = (clock.monotonicNs() - beganNs) / 1e6
    this.#calmMs += (tookMs - this.#calmMs) * LATEST_SHARE
    return ROUND_MS
  }

  /** Runs a round that the tenants behind yield to. */
  #ahead(tenants: readonly TenantKey[]): Promise<AddressedRound> {
    const round = this.#round(tenants, CALM_EVENTS_MAX)
    this.#calmRound = round.catch(() => {})
    return round
  }

  /**
   * Runs a round of the tenants behind. A tenant that has caught up, or that another dispatcher
   * addresses, is calm again.
   */
  async catchUp(): Promise<number> {
    await this.#calmRound
    const circle = this.#behind.size
    const turns = [...this.#behind.values()].slice(0, TENANTS_MAX)
    if (turns.length === 0) return WAIT_MS_MAX
    const resting = await this.#resting(turns)
    const tenants = turns.filter((turn) => !resting.includes(turn)).map(({ tenant }) => tenant)
    const round = tenants.length === 0 ? null : await this.#round(tenants, BEHIND_EVENTS_MAX)
    for (const { tenant } of turns) this.#behind.delete(nameOf(tenant))
    this.#remember([...resting, ...(round?.behind ?? [])])
    return round?.more ? 0 : (CIRCLE_MS * turns.length) / circle
  }

  /**
   * Tenants with only bulk events and no free place: a round would lock their pace, write it and
   * find nothing.
   */
  async #resting(turns: readonly BehindTenant[]): Promise<readonly BehindTenant[]> {
    const { sql, pacing } = this.#options
    const [now, allowanceMs] = [pacing.nowMs(), pacing.allowanceMs()]
    const full = turns.filter(({ pace }) => fanOutQuota(pace, now, allowanceMs).bulk === 0)
    const found = await findUrgentTenants(
      sql,
      full.map(({ tenant }) => tenant),
    )
    const urgent = new Set(found.map(nameOf))
    return full.filter(({ tenant }) => !urgent.has(nameOf(tenant)))
  }

  #remember(behind: readonly BehindTenant[]): void {
    for (const turn of behind) {
      if (this.#behind.size < BEHIND_MAX) this.#behind.set(nameOf(turn.tenant), turn)
    }
  }

  async #round(tenants: readonly TenantKey[], eventsMax: number): Promise<AddressedRound> {
    const { sql, clock, schedule, pacing, owner, admit, refused, addressed } = this.#options
    const admitted: Turn[] = []
    const round = await addressRound(sql, {
      tenants,
      eventsMax,
      now: clock.nowMs(),
      schedule,
      pacing,
      owner,
      admit: (turn) => admit(turn) && admitted.push(turn) > 0,
    }).catch((error: unknown) => {
      refused(admitted)
      throw error
    })
    addressed(round)
    return round
  }
}
