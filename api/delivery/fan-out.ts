// The two loops of fan-out: one for tenants with a few events, one for those who are behind, because more of their events wait
// than their pace or their part of a round lets go. Nobody's backlog stands before another tenant's event: the calm ones wait for
// no round of those who are behind, who begin none while one of the calm ones is under way.
import type { Clock } from '../../shared/clock.ts'
import type { Sql } from '../database/pool.ts'
import { type AddressedRound, addressRound, type BehindTenant } from './address.ts'
import { createBell } from './bell.ts'
import { fanOutQuota, type Pacing } from './pace.ts'
import { nameOf, type TenantKey } from './paces.ts'
import type { Turn } from './rota.ts'
import { findUrgentTenants, findWaitingTenants, TENANTS_MAX } from './shares.ts'
import type { RetrySchedule } from './verdict.ts'

/**
 * An event of a calm tenant is fanned out so much later at the latest. What a round takes is taken off the pause before it: where
 * others make the rounds longer, new work is looked for more often, and is sent as soon as ever.
 */
const NOTICED_MS = 25
/** Weight of the latest round in how long they take at the moment. */
const LATEST_SHARE = 1 / 8
/** A look that finds nothing lets so much of it be forgotten: long rounds of a second ago say nothing of now. */
const FORGOTTEN_SHARE = 1 / 64
/** Between two rounds: each costs the same for one event and for many. */
const ROUND_MS = 5
/** Within which everybody who is behind has a turn, where there is time. */
const CIRCLE_MS = 25
/** Waits that a bell ends. */
const WAIT_MS_MAX = 1000
/** Events of one transaction, shared between its tenants. */
const CALM_EVENTS_MAX = 64
const BEHIND_EVENTS_MAX = 128
/** Tenants that are remembered to be behind; the others beyond it go with the calm ones. */
const BEHIND_MAX = 1024

export interface FanOutOptions {
  sql: Sql
  clock: Clock
  schedule: RetrySchedule
  pacing: Pacing
  /** Whoever leases. */
  owner: string
  /** Whether this new delivery may be sent at once. */
  admit(turn: Turn): boolean
  /** These were admitted in a round that came to nothing. */
  refused(turns: readonly Turn[]): void
  addressed(round: AddressedRound): void
}

export class FanOut {
  readonly behindBell = createBell()
  readonly #options: FanOutOptions
  /** How long a round of the calm ones takes at the moment, the look for it included. */
  #calmMs = 0
  #calmRound: Promise<unknown> = Promise.resolve()
  /** In the order of their turns. */
  readonly #behind = new Map<string, BehindTenant>()
  #cursor: TenantKey | null = null

  constructor(options: FanOutOptions) {
    this.#options = options
  }

  /** A round of those with a few events; how long to pause before the next. */
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
      this.behindBell.ring()
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

  /** A round that those who are behind stand back from. */
  #ahead(tenants: readonly TenantKey[]): Promise<AddressedRound> {
    const round = this.#round(tenants, CALM_EVENTS_MAX)
    this.#calmRound = round.catch(() => {})
    return round
  }

  /** A round of those who are behind. Whoever has caught up, or is addressed by another dispatcher, is among the calm ones again. */
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

  /** Those that only have bulk, for which there is no place yet: a round would hold their pace, write that down and find nothing. */
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
