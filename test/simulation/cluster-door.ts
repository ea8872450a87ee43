// The front door of simulated shards: the landed code that finds the shard of a card, keeps
// messages and sends them again, over a connection to each owner that takes time, closes with the
// owner's process and is opened again.
import { HeldMessages } from '../../engine/door/held-messages.ts'
import { LookUp } from '../../engine/door/look-up.ts'
import type { MessageFrame } from '../../engine/member/message-frames.ts'
import type { Clock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { SimulatedMember } from './cluster-member.ts'
import type { Random } from './random.ts'
import type { SimulatedConfig } from './simulated-config.ts'

const LOG = createLog({ name: 'simulation', level: 'silent' })
/** Milliseconds between two looks whether the connection can be opened or has closed. */
const LOOK_MS = 4
const DELAY_MS_MAX = 5

export interface DoorSurroundings {
  clock: Clock
  random: Random
  shards: readonly string[]
  /** The door's own copy of the records. */
  config: SimulatedConfig
  member(id: string): SimulatedMember | undefined
  /** A message arrived at a member; false where its process died of it. */
  arrived(member: SimulatedMember, body: Buffer): boolean
  /** Planted: an owner of another epoch is taken for the same one, and no death counts. */
  countsNoDeaths: boolean
}

export class SimulatedDoor {
  readonly #world: DoorSurroundings
  readonly #held: HeldMessages
  readonly #upstreams: ReadonlyMap<string, SimulatedUpstream>

  constructor(world: DoorSurroundings) {
    this.#world = world
    const { clock, shards, config: configCache } = world
    const lookUp = new LookUp({ configCache, shards, fingerprint: () => null })
    const place = shards.length > 1 && {
      place: (...message: Parameters<LookUp['place']>) => lookUp.place(...message),
    }
    this.#held = new HeldMessages({ clock, log: LOG, ...place })
    this.#upstreams = new Map(
      shards.map((shard) => [shard, new SimulatedUpstream(shard, world, this.#held)]),
    )
  }

  get misplaced(): number {
    return this.#held.misplaced
  }

  take(message: { signature: string; body: Buffer }, send: (status: number, text: string) => void) {
    const { clock } = this.#world
    const received = { receivedAtMs: clock.nowMs(), receivedNs: clock.monotonicNs() }
    this.#held.take({ ...message, ...received, keyId: '', reply: { send } })
  }

  /** The store named an owner. */
  follow(shard: string, epoch: number, memberId: string): void {
    this.#upstreams.get(shard)?.follow(epoch, memberId)
  }
}

/** The connection to the owner of one shard. */
class SimulatedUpstream {
  readonly #shard: string
  readonly #world: DoorSurroundings
  readonly #held: HeldMessages
  #epoch = 0
  #member: SimulatedMember | undefined
  /** The life of the member's process to which the connection is open; null: it is not. */
  #life: number | null = null

  constructor(shard: string, world: DoorSurroundings, held: HeldMessages) {
    this.#shard = shard
    this.#world = world
    this.#held = held
    this.#look()
  }

  follow(epoch: number, memberId: string): void {
    if (epoch <= this.#epoch) return
    this.#epoch = epoch
    const member = this.#world.member(memberId)
    if (member === this.#member && this.#life !== null)
      return this.#held.renamed(epoch, this.#shard)
    if (this.#world.countsNoDeaths) this.#held.renamed(epoch, this.#shard)
    this.#member = member
    this.#life = null
    const upstream = this
    const owner = {
      epoch,
      get isOpen() {
        return upstream.#life !== null
      },
      takesLinked: true,
      send: (frame: MessageFrame) => this.#send(frame),
    }
    this.#held.replaced(owner, this.#shard)
  }

  #look(): void {
    this.#world.clock.after(LOOK_MS, () => this.#look())
    const member = this.#member
    if (member === undefined) return
    if (this.#life !== null && (member.life !== this.#life || !member.alive)) {
      this.#life = null
      this.#held.closed(this.#shard)
    }
    if (this.#life !== null || !member.owns || member.paused) return
    // A process takes longer to start again than the store takes to name its epoch.
    if (member.log.epoch > this.#epoch) return
    this.#life = member.life
    this.#held.opened(this.#shard)
  }

  #send({ id, ageMs, unlocated, signature, keyId, body }: MessageFrame): void {
    const { clock, random, arrived } = this.#world
    const [member, life] = [this.#member, this.#life]
    if (member === undefined || life === null) return
    const reply = (status: number, text: string): void =>
      void clock.after(random.below(DELAY_MS_MAX), () => {
        // A connection that closed meanwhile brings no answer.
        if (this.#life === life && this.#member === member)
          this.#held.answer({ id, status, body: text })
      })
    clock.after(random.below(DELAY_MS_MAX), () =>
      member.gate(life, () => {
        if (!arrived(member, body)) return
        const nowMs = clock.nowMs()
        member.line?.authorize({
          ...{ unlocated, signature, keyId, body },
          receivedAtMs: nowMs - ageMs,
          receivedNs: clock.monotonicNs() - ageMs * 1e6,
          reply: { send: reply },
        })
      }),
    )
  }
}
