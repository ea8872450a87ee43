// One shard of a simulated world: its members, every entry that was ever committed, and the checks
// of what the members, their disks and the agreement store hold of it.
import { decodeFrame, eachFrameEntry } from '../../engine/agreement/frame.ts'
import { type ShardKeys, shardKeys } from '../../engine/agreement/keys.ts'
import {
  foundTransaction,
  type Owner,
  ownerValue,
  readOwner,
} from '../../engine/agreement/protocol.ts'
import type { SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { WatchEvent } from '../../engine/agreement/store.ts'
import { windowMismatch } from '../../engine/state/decision-state.ts'
import type { Clock } from '../../shared/clock.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type JournalEntry,
} from '../../shared/wire/journal-entry.ts'
import { type ClusterPlanted, SimulatedMember, type Surroundings } from './cluster-member.ts'
import { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import type { SimulatedConfig } from './simulated-config.ts'

const MEMBERS_LEAST = 3
const MEMBERS_MORE = 3
const JOURNAL = 'jrn_' + '0'.repeat(26)
const BEAT_MS = 50
const NOBODY: Owner = { epoch: -1, memberId: '-' }

/** The world around a shard. */
export interface ShardWorld {
  random: Random
  clock: Clock
  store: SimulatedStore
  planted: ClusterPlanted
  counts: { owners: number; crashes: number; gaps: number; trims: number; refusedZombies: number }
  /** True where the world has further shards. */
  hasOthers: boolean
  newConfig(): SimulatedConfig
  faults(): boolean
  /** Members that cannot reach the store, or hear the owner. */
  readonly cutFromStore: ReadonlySet<number>
  readonly cutFromOwner: ReadonlySet<number>
  /** Whether a card was suspended after so many changes. */
  suspendedAt(card: number, changes: number): boolean
  /** The store names an owner. */
  named(shard: string, owner: Owner): void
  /** A decision was committed. */
  decided(shard: SimulatedShard, entry: DecisionEntry, seq: number): void
  violated(sentence: string): void
}

export class SimulatedShard {
  readonly name: string
  readonly keys: ShardKeys
  readonly members: readonly SimulatedMember[]
  /** Changes of the configuration that an owner of this shard confirmed. */
  confirmed = 0
  readonly #world: ShardWorld
  /** Every entry that was ever committed, by sequence. */
  readonly #committed: Buffer[] = []
  /** Keys of the batches that were ever written. */
  readonly #batches = new Set<string>()
  readonly #ownerOf = new Map<number, string>()
  readonly #checkedDisk = new Map<SimulatedMember, number>()
  /** The most entries that a member reported under each id. */
  readonly #reported = new Map<string, number>()
  #epochSeen = 0

  /** `placesFrom`: the place of the first member; every member of the world has its own. */
  constructor(name: string, placesFrom: number, world: ShardWorld) {
    this.name = name
    this.keys = shardKeys('sim', name)
    this.#world = world
    world.store.apply(foundTransaction(this.keys, { journalId: JOURNAL, lastSeq: 0 }))
    const surroundings = this.#surroundings()
    this.members = Array.from(
      { length: MEMBERS_LEAST + world.random.below(MEMBERS_MORE) },
      (_, at) => new SimulatedMember(placesFrom + at, surroundings),
    )
  }

  get entries(): JournalEntry[] {
    return this.#committed.map((bytes) => decodeEntry(bytes))
  }

  /** The members that believe that they own the shard. */
  get believing(): SimulatedMember[] {
    return this.members.filter((member) => member.owns)
  }

  crash(member: SimulatedMember): void {
    if (!member.alive) return
    this.#world.counts.crashes += 1
    this.#end(member)
  }

  /** False where others lack entries: two disks at once may hold the only copies. */
  wipe(member: SimulatedMember): boolean {
    const others = this.members.filter((other) => other !== member)
    const end = this.#committed.length
    if (others.some((other) => (other.disk.entries.at(-1)?.seq ?? 0) < end)) return false
    if (member.alive) this.#end(member)
    member.wipe()
    this.#checkedDisk.delete(member)
    return true
  }

  /** Each owner gives a sign of life from time to time. */
  beat(): void {
    const { clock, random, cutFromOwner } = this.#world
    clock.after(BEAT_MS, () => this.beat())
    for (const owner of this.members) {
      if (!owner.owns || owner.paused) continue
      const { epoch, committedSeq, stuckMs } = owner.log
      for (const other of this.members) {
        if (other === owner || !other.alive) continue
        if (cutFromOwner.has(other.place) || cutFromOwner.has(owner.place)) continue
        const { life } = other
        clock.after(random.below(5), () =>
          other.gate(life, () => other.ownership.beat({ epoch, committedSeq, stuckMs })),
        )
      }
    }
  }

  /** The store changed. */
  changed(events: readonly WatchEvent[]): void {
    const { keys } = this
    for (const { type, key, value } of events) {
      if (key === keys.owner && type === 'put') {
        const owner = readOwner(value)
        if (owner !== null) this.#world.named(this.name, owner)
      }
      if (key.startsWith(keys.logBegin) && type === 'put') this.#takeBatch(key, value)
    }
    const removed = events.filter(
      ({ type, key }) => type === 'delete' && key.startsWith(keys.logBegin),
    )
    if (removed.length > 0) this.#checkTrim(removed.map(({ key }) => key))
  }

  /** Everything came to rest: one owner, and every disk and state holds what was committed. */
  check(): void {
    const { length: owners } = this.believing
    if (owners !== 1) return this.#violate(owners + ' owners after everything came to rest')
    for (const member of this.members) {
      this.#checkDisk(member)
      const end = member.disk.entries.at(-1)?.seq ?? 0
      if (end !== this.#committed.length)
        this.#violate(
          'the disk of ' + member.id + ' ends at ' + end + ' of ' + this.#committed.length,
        )
    }
    const ledger = new Ledger()
    for (const entry of this.entries) ledger.apply(entry)
    for (const { state, id } of this.members) {
      const mismatch = windowMismatch(state) ?? ledger.difference(state)
      if (mismatch !== null) this.#violate(id + ': ' + mismatch)
    }
    for (const violation of ledger.violations) this.#violate(violation)
  }

  #surroundings(): Surroundings {
    const { random, clock, planted, store, hasOthers, newConfig, faults } = this.#world
    return {
      ...{ random, clock, planted, newConfig, faults },
      keys: this.keys,
      shard: hasOthers ? this.name : null,
      storeOf: (memberId) => store.client(memberId),
      violated: (sentence) => this.#violate(sentence),
      lost: (member, reason) => this.#lost(member, reason),
      owned: (member, owner) => this.#owned(member, owner),
      appended: (member, bytes) => this.#appended(member, bytes),
      synced: (member) => this.#checkDisk(member),
      reported: ({ id }, synced) => this.#checkReport(id, synced),
      gap: (member, range, done) => this.#gap(member, range, done),
    }
  }

  #violate(sentence: string): void {
    this.#world.violated(this.#world.hasOthers ? this.name + ': ' + sentence : sentence)
  }

  /** The process is gone: its links close, and it starts again some time later. */
  #end(member: SimulatedMember): void {
    const { clock, random } = this.#world
    const { epoch } = member.log
    this.#checkDisk(member)
    member.crash()
    this.#checkDisk(member)
    clock.after(random.below(5), () => {
      for (const other of this.members)
        if (other.alive && epoch > 0) other.gate(other.life, () => other.ownership.closed(epoch))
    })
    clock.after(50 + random.below(3000), () => {
      if (!member.alive) member.start()
    })
  }

  #lost(member: SimulatedMember, reason: string): void {
    this.#world.counts.refusedZombies += 1
    const { owner } = member.log
    if (owner !== null && this.#isOwner(owner))
      this.#violate(member.id + ' left although it owned the shard: ' + reason)
    this.#end(member)
  }

  #owned(member: SimulatedMember, owner: Owner): void {
    const { epoch } = owner
    this.#world.counts.owners += 1
    const before = this.#ownerOf.get(epoch)
    if (before !== undefined)
      this.#violate('epoch ' + epoch + ' has two owners: ' + before + ', ' + member.id)
    this.#ownerOf.set(epoch, member.id)
    // It may learn of its take-over when the next one has already happened.
    if (this.#isOwner(owner) && member.log.lastSeq < this.#committed.length)
      this.#violate(member.id + ' owned before it had applied everything')
  }

  #isOwner(owner: Owner): boolean {
    return this.#world.store.rows.get(this.keys.owner)?.value.equals(ownerValue(owner)) === true
  }

  /** A decision, at the moment it is made. */
  #appended(member: SimulatedMember, bytes: Buffer): void {
    const entry = decodeEntry(bytes)
    if (entry.kind !== 'decision' || !entry.decision.approved) return
    if (entry.decision.decidedBy === 'network') return
    const card = Number(entry.card?.cardId.slice('card_'.length))
    // An old owner may decide so too: nothing of it can be committed any more.
    if (!this.#isOwner(member.log.owner ?? NOBODY)) return
    if (member.facts < this.confirmed && this.#world.suspendedAt(card, this.confirmed))
      this.#violate(entry.message.id + ' was approved on a card whose suspension was confirmed')
  }

  /** A disk that lost entries belongs to another member. */
  #checkReport(id: string, synced: number): void {
    const before = this.#reported.get(id) ?? 0
    if (synced < before)
      this.#violate(id + ' reports ' + synced + ' entries on its disk, before ' + before)
    this.#reported.set(id, synced)
  }

  #takeBatch(key: string, value: Buffer): void {
    if (this.#batches.has(key)) this.#violate('the batch ' + key + ' was written twice')
    this.#batches.add(key)
    const frame = decodeFrame(value)
    if (!frame.ok) return this.#violate(frame.error)
    const { epoch } = frame.value
    if (epoch < this.#epochSeen) this.#violate('an old owner wrote in epoch ' + epoch)
    this.#epochSeen = Math.max(this.#epochSeen, epoch)
    eachFrameEntry(frame.value, (seq, bytes) => {
      const known = this.#committed[seq - 1]
      if (known !== undefined && !known.equals(bytes)) this.#violate('entry ' + seq + ' changed')
      if (seq > this.#committed.length + 1) this.#violate('entry ' + seq + ' leaves a gap')
      if (known !== undefined) return
      this.#committed[seq - 1] = Buffer.from(bytes)
      const entry = decodeEntry(bytes)
      if (entry.kind === 'decision') this.#world.decided(this, entry, seq)
    })
  }

  #checkTrim(removed: readonly string[]): void {
    const { counts, store } = this.#world
    const { logBegin } = this.keys
    counts.trims += 1
    const [oldest] = [...store.rows.keys()].filter((key) => key.startsWith(logBegin)).sort()
    if (oldest === undefined) return this.#violate('the last batch was trimmed')
    if (removed.some((key) => key > oldest)) this.#violate('a trim left a hole')
    const keptFrom = Number(oldest.slice(logBegin.length))
    const holders = this.members.filter(
      ({ disk }) => (disk.entries.at(-1)?.seq ?? 0) >= keptFrom - 1,
    )
    if (holders.length >= 2) return
    const held = holders.length + ' members hold them'
    this.#violate('entries before ' + keptFrom + ' were trimmed, and ' + held)
  }

  /** Everything on a disk must have been committed, byte for byte. */
  #checkDisk(member: SimulatedMember): void {
    const { entries } = member.disk
    let at = this.#checkedDisk.get(member) ?? 0
    for (; at < entries.length; at++) {
      const { seq, bytes } = entries[at] ?? { seq: 0, bytes: Buffer.alloc(0) }
      const committed = this.#committed[seq - 1]
      if (committed === undefined || !committed.equals(bytes))
        this.#violate('entry ' + seq + ' on the disk of ' + member.id + ' is not the committed one')
    }
    this.#checkedDisk.set(member, at)
  }

  /** Pages from the journals of members that live. */
  #gap(
    member: SimulatedMember,
    { fromSeq, untilSeq }: { fromSeq: number; untilSeq: number },
    done: () => void,
  ): void {
    const { clock, random, counts } = this.#world
    counts.gaps += 1
    const { life } = member
    const source = this.members.find(
      (other) =>
        other !== member && other.alive && (other.disk.entries.at(-1)?.seq ?? 0) >= untilSeq,
    )
    clock.after(20 + random.below(100), () =>
      member.gate(life, () => {
        for (const { seq, bytes } of source?.disk.entries ?? [])
          if (seq >= fromSeq && seq <= untilSeq) member.follower.fetched(seq, bytes)
        done()
      }),
    )
  }
}
