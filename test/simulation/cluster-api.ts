// The api of a simulated world: cards that it suspends and resumes, tenants that it moves to
// another shard, and the confirmation of an owner for both. A move takes the steps of
// `npm run placement -- move`, one after the other.
import type { Clock } from '../../shared/clock.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import { NO_SHARD } from '../../shared/shards.ts'
import type { ClusterPlanted, SimulatedMember } from './cluster-member.ts'
import type { SimulatedShard } from './cluster-shard.ts'
import type { Random } from './random.ts'
import { type SimulatedConfig, tenantOf } from './simulated-config.ts'

/** Milliseconds until the last holder of records has a change. */
const HEARD_MS_MAX = 4000
const AGAIN_MS = 50
const ANSWER_MS_MAX = 1000
const CONCLUDED_MS = CONCLUDE_LATEST_MS + 500

type Change = { card: number } | { tenant: number; shard: string }

/** A copy of the records, which lacks the last changes. */
interface Copy {
  facts: number
  readonly config: SimulatedConfig
}

export interface ApiWorld {
  clock: Clock
  random: Random
  planted: ClusterPlanted
  shards(): readonly SimulatedShard[]
  /** The copies of the front doors; none where there is one shard. */
  doors(): readonly Copy[]
}

export class SimulatedApi {
  readonly counts = { moved: 0, stayed: 0 }
  readonly #world: ApiWorld
  readonly #changes: Change[] = []

  constructor(world: ApiWorld) {
    this.#world = world
  }

  /** A card is suspended or resumed; each copy hears it some time later, in order. */
  toggle(card: number): void {
    this.#change({ card })
  }

  /** The copy has every change now. */
  tellAll(copy: Copy): void {
    this.#tell(copy, this.#changes.length)
  }

  suspendedAt(card: number, changes: number): boolean {
    const toggled = this.#changes
      .slice(0, changes)
      .filter((one) => 'card' in one && one.card === card)
    return toggled.length % 2 === 1
  }

  /** An owner confirms the changes that it has heard; resolves true where it still owns. */
  confirm(shard: SimulatedShard, member: SimulatedMember, done: (raised: boolean) => void): void {
    const { facts, life } = member
    if (this.#world.planted.confirmsEarly === true)
      shard.confirmed = Math.max(shard.confirmed, facts)
    member.gate(life, () =>
      member.floor.raise(String(facts), (raised) => {
        const isRaised = raised && life === member.life
        if (isRaised) shard.confirmed = Math.max(shard.confirmed, facts)
        done(isRaised)
      }),
    )
  }

  /**
   * Moves a tenant that has decided nothing from its shard to another one; calls `left` once every
   * owner confirmed that it is in none.
   */
  move(tenant: number, { from, to }: { from: string; to: string }, left: () => void): void {
    const { planted, clock } = this.#world
    const { moves } = planted
    const arrive = (): void => {
      const stays = moves !== 'although_decided' && this.#hasDecided(tenant)
      this.counts[stays ? 'stayed' : 'moved'] += 1
      this.#change({ tenant, shard: stays ? from : to })
    }
    if (moves === 'without_leaving') return arrive()
    this.#change({ tenant, shard: NO_SHARD })
    const until = this.#changes.length
    const drained = (): void => this.#drained(arrive)
    const concluded = (): void => {
      if (moves === 'unsettled' || moves === 'unconfirmed') drained()
      else this.#covered(until, { isSettled: true }, drained)
    }
    const confirmed = (): void => {
      left()
      clock.after(moves === 'while_tenants_are_asked' ? 0 : CONCLUDED_MS, concluded)
    }
    if (moves === 'unconfirmed') return confirmed()
    this.#covered(until, { isSettled: false }, confirmed)
  }

  #change(change: Change): void {
    const { clock, random, shards, doors } = this.#world
    this.#changes.push(change)
    const until = this.#changes.length
    for (const copy of [...shards().flatMap(({ members }) => members), ...doors()])
      clock.after(random.below(HEARD_MS_MAX), () => this.#tell(copy, until))
  }

  #tell(copy: Copy, until: number): void {
    for (; copy.facts < until; copy.facts++) {
      const change = this.#changes[copy.facts] as Change
      if ('card' in change) copy.config.toggle(change.card)
      else copy.config.place(change.tenant, change.shard)
    }
  }

  /** The owner of every shard confirms so many changes, and decisions of before are on disk. */
  #covered(changes: number, { isSettled }: { isSettled: boolean }, done: () => void): void {
    const shards = [...this.#world.shards()]
    const next = (): void => {
      const [shard] = shards
      if (shard === undefined) return done()
      const again = (): void => void this.#world.clock.after(AGAIN_MS, next)
      const owner = shard.believing.find(({ facts, paused }) => facts >= changes && !paused)
      if (owner === undefined || (isSettled && owner.log.waiting > 0)) return again()
      let isOpen = true
      const settle = (raised: boolean): void => {
        if (!isOpen) return
        isOpen = false
        if (raised) shards.shift()
        again()
      }
      // An owner that ended answers nothing.
      this.#world.clock.after(ANSWER_MS_MAX, () => settle(false))
      this.confirm(shard, owner, settle)
    }
    next()
  }

  /** PostgreSQL has what every owner has on its disk now; no owner: later. */
  #drained(done: () => void): void {
    const isHeard = ({ believing }: SimulatedShard): boolean =>
      believing.some(({ paused }) => !paused)
    if (this.#world.shards().every(isHeard)) return done()
    this.#world.clock.after(AGAIN_MS, () => this.#drained(done))
  }

  /** A journal that is drained holds a decision of the tenant. */
  #hasDecided(tenant: number): boolean {
    return this.#world.shards().some(({ believing, entries }) => {
      const owner = believing.find(({ paused }) => !paused)
      return entries
        .slice(0, owner?.log.syncedSeq ?? 0)
        .some(
          (entry) =>
            entry.kind === 'decision' &&
            entry.card !== null &&
            tenantOf(Number(entry.card.cardId.slice('card_'.length))) === tenant,
        )
    })
  }
}
