// A shard of three members in a seeded world: an agreement store that is slow, away, of unknown
// outcome, without space; watches that end; members that crash, are paused and continued, cut off
// from the store or from each other, and lose their disks; callers that send through the front door
// or to any member that believes it owns; a message that ends each process that takes it. The code
// is that of production, without real time.
import { decodeFrame, eachFrameEntry } from '../../engine/agreement/frame.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import {
  foundTransaction,
  type Owner,
  ownerValue,
  readOwner,
} from '../../engine/agreement/protocol.ts'
import { type Fate, SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { WatchEvent } from '../../engine/agreement/store.ts'
import { windowMismatch } from '../../engine/state/decision-state.ts'
import type { Clock } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { SimulatedDoor } from './cluster-door.ts'
import {
  CLUSTER_SECRET,
  type ClusterPlanted,
  SimulatedMember,
  type Surroundings,
} from './cluster-member.ts'
import { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import { CARDS } from './simulated-config.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import { TimerHeap } from './timer-heap.ts'

const START_MS = Date.UTC(2027, 0, 1) - 4000
const MEMBERS_LEAST = 3
const MEMBERS_MORE = 3
const KEYS = shardKeys('sim', 'one')
const JOURNAL = 'jrn_' + '0'.repeat(26)
const BEAT_MS = 50
const HEAL_MS = 6000
/** Milliseconds in which a door hears of a new owner. */
const WATCH_MS_MAX = 30
/** Processes that a message may end before no further one gets it. */
const POISONED_MAX = 2

type Mood = 'calm' | 'slow' | 'errors' | 'away' | 'full'

interface Sent {
  id: string
  body: string
  answers: string[]
  stale: boolean
}

export class ClusterWorld {
  readonly violations: string[] = []
  readonly counts = {
    answers: 0,
    owners: 0,
    crashes: 0,
    pauses: 0,
    wipes: 0,
    unknown: 0,
    gaps: 0,
    trims: 0,
    confirmed: 0,
    refusedZombies: 0,
    throughTheDoor: 0,
    poisoned: 0,
  }
  readonly #random: Random
  readonly #timers = new TimerHeap()
  readonly #network: SimulatedNetwork
  readonly #store: SimulatedStore
  readonly #members: SimulatedMember[]
  readonly #door: SimulatedDoor
  readonly #planted: ClusterPlanted
  readonly #sent: Sent[] = []
  /** Every entry that was ever committed, by sequence. */
  readonly #committed: Buffer[] = []
  /** Keys of the batches that were ever written. */
  readonly #batches = new Set<string>()
  readonly #decided = new Map<string, number>()
  readonly #ownerOf = new Map<number, string>()
  /** Members that cannot reach the store, or hear the owner. */
  readonly #cutFromStore = new Set<number>()
  readonly #cutFromOwner = new Set<number>()
  readonly #checkedDisk = new Map<SimulatedMember, number>()
  /** Cards that were suspended or resumed, in order: the records of the api. */
  readonly #changes: number[] = []
  /** The most entries that a member reported under each id. */
  readonly #reported = new Map<string, number>()
  /** Processes that each poisonous message ended, by its id. */
  readonly #poisoned = new Map<string, number>()
  #confirmed = 0
  #mood: Mood = 'calm'
  #faults = true
  #nowMs = START_MS
  #epochSeen = 0

  constructor(random: Random, planted: ClusterPlanted = {}) {
    this.#random = random
    this.#planted = planted
    this.#network = new SimulatedNetwork(random)
    this.#store = new SimulatedStore({
      clock: this.#clock(),
      delayMs: () => this.#delayMs(),
      lateMs: () => 1 + random.below(4000),
      fate: (memberId) => this.#fate(memberId),
    })
    this.#store.apply(foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
    this.#store.onChanged = (events) => this.#changed(events)
    const surroundings = this.#surroundings()
    this.#members = Array.from(
      { length: MEMBERS_LEAST + random.below(MEMBERS_MORE) },
      (_, place) => new SimulatedMember(place, surroundings),
    )
    for (const member of this.#members) member.start()
    this.#door = this.#openDoor()
    this.#beat()
  }

  run(steps: number): void {
    try {
      this.#play(steps)
    } catch (error) {
      this.violations.push(error instanceof Error ? String(error.stack) : String(error))
    }
  }

  #play(steps: number): void {
    this.#advance(500)
    for (let index = 0; index < steps && this.violations.length === 0; index++) this.#stepOnce()
    if (this.violations.length > 0) return
    this.#heal()
    for (let round = 0; round < 12; round++) {
      for (const sent of this.#sent) if (sent.answers.length === 0) this.#deliver(sent)
      this.#advance(700)
    }
    this.#check()
  }

  #stepOnce(): void {
    const dice = this.#random.below(200)
    const member = this.#random.pick(this.#members)
    if (dice < 70) this.#send()
    else if (dice < 90 && this.#sent.length > 0) this.#deliver(this.#random.pick(this.#sent))
    else if (dice < 150) this.#advance(this.#random.below(60))
    else if (dice < 158) this.#advance(this.#random.below(800))
    else if (dice < 160) this.#advance(2000 + this.#random.below(2500))
    else if (dice < 165)
      this.#mood = this.#random.pick(['calm', 'calm', 'slow', 'errors', 'away', 'full'])
    else if (dice < 170) this.#crash(member)
    else if (dice < 174) this.#pause(member)
    else if (dice < 178) toggle(this.#cutFromStore, member.place)
    else if (dice < 181) toggle(this.#cutFromOwner, member.place)
    else if (dice < 183) this.#store.cancelWatches(member.id)
    else if (dice < 184) this.#wipe(member)
    else if (dice < 189) this.#changeCard()
    else if (dice < 191) this.#confirmDuringTakeOver()
    else if (dice < 192) this.#poison()
    else this.#confirm()
  }

  #delayMs(): number {
    return this.#mood === 'slow' ? this.#random.below(120) : this.#random.below(6)
  }

  #fate(memberId: string): Fate {
    const place = Number(memberId.split('_')[1])
    const cut = this.#cutFromStore.has(place) || this.#mood === 'away'
    const dice = this.#random.below(100)
    const fate = fateOf(dice, { cut, errors: this.#mood === 'errors', full: this.#mood === 'full' })
    if (fate !== 'answered') this.counts.unknown += 1
    return fate
  }

  #send(): void {
    const message = this.#network.next(this.#nowMs)
    const sent: Sent = { id: message.id, body: JSON.stringify(message), answers: [], stale: false }
    this.#sent.push(sent)
    this.#deliver(sent)
    sent.body = JSON.stringify({ ...message, is_repeat: true })
    // The network repeats some messages while they are decided.
    if (this.#random.below(4) === 0) this.#at(this.#random.below(20), () => this.#deliver(sent))
  }

  /** Through the front door, or to an owner that the network is still connected to. */
  #deliver(sent: Sent): void {
    if (this.#random.below(2) === 0) this.#deliverThroughDoor(sent)
    else this.#deliverDirectly(sent)
  }

  #deliverThroughDoor(sent: Sent): void {
    const body = Buffer.from(sent.body)
    const signature = signatureHeader([CLUSTER_SECRET], Math.floor(this.#nowMs / 1000), body)
    this.#door.take({ signature, body }, (status, text) => {
      if (status === 400) sent.stale = true
      if (status !== 200) return
      this.counts.throughTheDoor += 1
      this.#tookAnswer(sent, text)
    })
  }

  /** A message that ends each process that takes it, sent once: nobody answers it. */
  #poison(): void {
    const message = this.#network.next(this.#nowMs)
    this.#poisoned.set(message.id, 0)
    const body = Buffer.from(JSON.stringify(message))
    const signature = signatureHeader([CLUSTER_SECRET], Math.floor(this.#nowMs / 1000), body)
    this.#door.take({ signature, body }, (status) => {
      if (status === 200) this.#violate('a poisonous message was answered')
    })
  }

  #openDoor(): SimulatedDoor {
    return new SimulatedDoor({
      clock: this.#clock(),
      random: this.#random,
      member: (id) => this.#members.find((member) => member.id === id),
      countsNoDeaths: this.#planted.countsNoDeaths === true,
      arrived: (member, body) => {
        const { id }: { id: string } = JSON.parse(body.toString())
        const ended = this.#poisoned.get(id)
        if (ended === undefined) return true
        this.counts.poisoned += 1
        this.#poisoned.set(id, ended + 1)
        if (ended >= POISONED_MAX) this.#violate(id + ' ended ' + (ended + 1) + ' processes')
        this.#crash(member)
        return false
      },
    })
  }

  #deliverDirectly(sent: Sent): void {
    const believing = this.#members.filter((member) => member.owns)
    if (believing.length === 0) return
    const member = this.#random.pick(believing)
    const { life } = member
    const body = Buffer.from(sent.body)
    member.gate(life, () => {
      const receivedAtMs = this.#nowMs
      member.line?.authorize({
        signature: signatureHeader([CLUSTER_SECRET], Math.floor(receivedAtMs / 1000), body),
        keyId: '',
        body,
        receivedAtMs,
        receivedNs: receivedAtMs * 1e6,
        reply: {
          send: (status, text) => {
            if (life !== member.life) return
            if (status === 400) sent.stale = true
            if (status === 200) this.#answered(member, sent, text)
          },
        },
      })
    })
  }

  #tookAnswer(sent: Sent, text: string): void {
    this.counts.answers += 1
    if (!sent.answers.includes(text)) sent.answers.push(text)
    if (sent.answers.length > 1) this.#violate('two answers to ' + sent.id)
    if (!this.#decided.has(sent.id)) this.#violate('answered before it was committed: ' + sent.id)
  }

  #answered(member: SimulatedMember, sent: Sent, text: string): void {
    this.#tookAnswer(sent, text)
    const seq = this.#decided.get(sent.id)
    if (seq === undefined) return
    const own = member.disk.entries.at(-1)?.seq ?? 0
    if (own < seq) this.#violate('answered before the local sync: ' + sent.id)
  }

  #crash(member: SimulatedMember): void {
    if (!member.alive) return
    this.counts.crashes += 1
    this.#end(member)
  }

  /** The process is gone: its links close, and it starts again some time later. */
  #end(member: SimulatedMember): void {
    const { epoch } = member.log
    this.#checkDisk(member)
    member.crash()
    this.#checkDisk(member)
    this.#at(this.#random.below(5), () => {
      for (const other of this.#members)
        if (other.alive && epoch > 0) other.gate(other.life, () => other.ownership.closed(epoch))
    })
    this.#at(50 + this.#random.below(3000), () => {
      if (!member.alive) member.start()
    })
  }

  #pause(member: SimulatedMember): void {
    if (!member.alive || member.paused) return
    this.counts.pauses += 1
    member.paused = true
    const { life } = member
    this.#at(100 + this.#random.below(5000), () => {
      if (member.life === life) member.resume()
    })
  }

  /** Two disks at once may hold the only copies: one at a time, and not while others are behind. */
  #wipe(member: SimulatedMember): void {
    const others = this.#members.filter((other) => other !== member)
    const end = this.#committed.length
    if (others.some((other) => (other.disk.entries.at(-1)?.seq ?? 0) < end)) return
    this.counts.wipes += 1
    if (member.alive) this.#end(member)
    member.wipe()
    this.#checkedDisk.delete(member)
  }

  /** A card is suspended or resumed in the api; each member hears it some time later, in order. */
  #changeCard(): void {
    const card = this.#random.below(CARDS)
    this.#changes.push(card)
    const until = this.#changes.length
    for (const member of this.#members)
      this.#at(this.#random.below(4000), () => this.#tellFacts(member, until))
  }

  #tellFacts(member: SimulatedMember, until: number): void {
    for (; member.facts < until; member.facts++)
      member.config.toggle(this.#changes[member.facts] ?? 0)
  }

  /** The api asks an owner to confirm what it has heard. */
  #confirm(): void {
    const believing = this.#members.filter((member) => member.owns)
    if (believing.length === 0) return
    const member = this.#random.pick(believing)
    this.#confirmOf(member)
    // The worst moments for an owner to end are just before and just after it confirmed.
    const dice = this.#random.below(100)
    if (dice < 15) this.#crash(member)
    else if (dice < 30) this.#pause(member)
  }

  #confirmOf(member: SimulatedMember): void {
    const { facts, life } = member
    if (this.#planted.confirmsEarly === true) this.#confirmed = Math.max(this.#confirmed, facts)
    member.gate(life, () =>
      member.floor.raise(String(facts), (raised) => {
        if (!raised || life !== member.life) return
        this.counts.confirmed += 1
        this.#confirmed = Math.max(this.#confirmed, facts)
        for (let count = 0; count < 3; count++) this.#send()
      }),
    )
  }

  /** The others no longer hear the owner and take over, while it confirms a record they lack. */
  #confirmDuringTakeOver(): void {
    const owner = this.#members.find((member) => member.owns && !member.paused)
    if (owner === undefined) return
    this.#changeCard()
    this.#tellFacts(owner, this.#changes.length)
    const others = this.#members.filter((member) => member !== owner)
    for (const { place } of others) this.#cutFromOwner.add(place)
    this.#at(600, () => {
      for (const { place } of others) this.#cutFromOwner.delete(place)
    })
    for (let count = 0; count < 12; count++)
      this.#at(200 + this.#random.below(120), () => {
        if (owner.owns) this.#confirmOf(owner)
      })
    for (let count = 0; count < 6; count++)
      this.#at(300 + this.#random.below(400), () => this.#send())
  }

  /** Whether a card was suspended after so many changes. */
  #suspendedAt(card: number, changes: number): boolean {
    return this.#changes.slice(0, changes).filter((changed) => changed === card).length % 2 === 1
  }

  #beat(): void {
    this.#at(BEAT_MS, () => this.#beat())
    for (const owner of this.#members) {
      if (!owner.owns || owner.paused) continue
      const { epoch, committedSeq, stuckMs } = owner.log
      for (const other of this.#members) {
        if (other === owner || !other.alive) continue
        if (this.#cutFromOwner.has(other.place) || this.#cutFromOwner.has(owner.place)) continue
        const { life } = other
        this.#at(this.#random.below(5), () =>
          other.gate(life, () => other.ownership.beat({ epoch, committedSeq, stuckMs })),
        )
      }
    }
  }

  #surroundings(): Surroundings {
    return {
      random: this.#random,
      keys: KEYS,
      clock: this.#clock(),
      planted: this.#planted,
      faults: () => this.#faults,
      storeOf: (memberId) => this.#store.client(memberId),
      violated: (sentence) => this.#violate(sentence),
      lost: (member, reason) => this.#lost(member, reason),
      owned: (member, owner) => this.#owned(member, owner),
      appended: (member, bytes) => this.#appended(member, bytes),
      synced: (member) => this.#checkDisk(member),
      reported: ({ id }, synced) => this.#checkReport(id, synced),
      gap: (member, range, done) => this.#gap(member, range, done),
    }
  }

  #lost(member: SimulatedMember, reason: string): void {
    this.counts.refusedZombies += 1
    const { owner } = member.log
    const held = this.#store.rows.get(KEYS.owner)?.value
    if (owner !== null && held?.equals(ownerValue(owner)))
      this.#violate(member.id + ' left although it owned the shard: ' + reason)
    this.#end(member)
  }

  #owned(member: SimulatedMember, owner: Owner): void {
    const { epoch } = owner
    this.counts.owners += 1
    const before = this.#ownerOf.get(epoch)
    if (before !== undefined)
      this.#violate('epoch ' + epoch + ' has two owners: ' + before + ', ' + member.id)
    this.#ownerOf.set(epoch, member.id)
    // It may learn of its take-over when the next one has already happened.
    const isOwner = this.#store.rows.get(KEYS.owner)?.value.equals(ownerValue(owner))
    if (isOwner === true && member.log.lastSeq < this.#committed.length)
      this.#violate(member.id + ' owned before it had applied everything')
  }

  /** A decision, at the moment it is made. */
  #appended(member: SimulatedMember, bytes: Buffer): void {
    const entry = decodeEntry(bytes)
    if (entry.kind !== 'decision' || !entry.decision.approved) return
    if (entry.decision.decidedBy === 'network') return
    const card = Number(entry.card?.cardId.slice('card_'.length))
    // An old owner may decide so too: nothing of it can be committed any more.
    if (
      this.#store.rows.get(KEYS.owner)?.value.equals(ownerValue(member.log.owner ?? NOBODY)) !==
      true
    )
      return
    if (member.facts < this.#confirmed && this.#suspendedAt(card, this.#confirmed))
      this.#violate(entry.message.id + ' was approved on a card whose suspension was confirmed')
  }

  /** A disk that lost entries belongs to another member. */
  #checkReport(id: string, synced: number): void {
    const before = this.#reported.get(id) ?? 0
    if (synced < before)
      this.#violate(id + ' reports ' + synced + ' entries on its disk, before ' + before)
    this.#reported.set(id, synced)
  }

  #tellDoor(value: Buffer): void {
    const owner = readOwner(value)
    if (owner === null) return
    const { epoch, memberId } = owner
    this.#at(this.#random.below(WATCH_MS_MAX), () => this.#door.follow(epoch, memberId))
  }

  #changed(events: readonly WatchEvent[]): void {
    for (const { type, key, value } of events) {
      if (key === KEYS.owner && type === 'put') this.#tellDoor(value)
      if (!key.startsWith(KEYS.logBegin)) continue
      if (type === 'put') this.#takeBatch(key, value)
    }
    const removed = events.filter(
      ({ type, key }) => type === 'delete' && key.startsWith(KEYS.logBegin),
    )
    if (removed.length > 0) this.#checkTrim(removed.map(({ key }) => key))
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
      if (entry.kind !== 'decision') return
      if (this.#decided.has(entry.message.id))
        this.#violate(entry.message.id + ' was decided twice')
      this.#decided.set(entry.message.id, seq)
    })
  }

  #checkTrim(removed: readonly string[]): void {
    this.counts.trims += 1
    const left = [...this.#store.rows.keys()].filter((key) => key.startsWith(KEYS.logBegin)).sort()
    const [oldest] = left
    if (oldest === undefined) return this.#violate('the last batch was trimmed')
    if (removed.some((key) => key > oldest)) this.#violate('a trim left a hole')
    const keptFrom = Number(oldest.slice(KEYS.logBegin.length))
    const holders = this.#members.filter(
      ({ disk }) => (disk.entries.at(-1)?.seq ?? 0) >= keptFrom - 1,
    )
    if (holders.length < 2)
      this.#violate(
        'entries before ' +
          keptFrom +
          ' were trimmed, and ' +
          holders.length +
          ' members hold them',
      )
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
    this.counts.gaps += 1
    const { life } = member
    const source = this.#members.find(
      (other) =>
        other !== member && other.alive && (other.disk.entries.at(-1)?.seq ?? 0) >= untilSeq,
    )
    this.#at(20 + this.#random.below(100), () =>
      member.gate(life, () => {
        for (const { seq, bytes } of source?.disk.entries ?? [])
          if (seq >= fromSeq && seq <= untilSeq) member.follower.fetched(seq, bytes)
        done()
      }),
    )
  }

  #heal(): void {
    this.#faults = false
    this.#mood = 'calm'
    this.#cutFromStore.clear()
    this.#cutFromOwner.clear()
    for (const member of this.#members) {
      if (!member.alive) member.start()
      member.resume()
      this.#tellFacts(member, this.#changes.length)
    }
    this.#advance(HEAL_MS)
  }

  #check(): void {
    if (this.violations.length > 0) return
    for (const { id, answers, stale } of this.#sent)
      if (answers.length !== 1 && !stale) this.#violate(id + ' has ' + answers.length + ' answers')
    const owners = this.#members.filter((member) => member.owns)
    const [owner] = owners
    if (owner === undefined || owners.length > 1)
      return this.#violate(owners.length + ' owners after everything came to rest')
    for (const member of this.#members) {
      this.#checkDisk(member)
      const end = member.disk.entries.at(-1)?.seq ?? 0
      if (end !== this.#committed.length)
        this.#violate(
          'the disk of ' + member.id + ' ends at ' + end + ' of ' + this.#committed.length,
        )
    }
    const ledger = new Ledger()
    for (const bytes of this.#committed) ledger.apply(decodeEntry(bytes))
    for (const { state, id } of this.#members) {
      const mismatch = windowMismatch(state) ?? ledger.difference(state)
      if (mismatch !== null) this.#violate(id + ': ' + mismatch)
    }
    this.violations.push(...ledger.violations)
  }

  get decisions(): number {
    return this.#committed.filter((bytes) => decodeEntry(bytes).kind === 'decision').length
  }

  #violate(sentence: string): void {
    this.violations.push(sentence)
  }

  #at(delayMs: number, task: () => void): void {
    this.#timers.add(this.#nowMs + delayMs, task)
  }

  #advance(ms: number): void {
    const until = this.#nowMs + ms
    for (;;) {
      const next = this.#timers.takeBefore(until)
      if (next === null) break
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.task()
      if (this.violations.length > 0) return
    }
    this.#nowMs = until
  }

  #clock(): Clock {
    return {
      nowMs: () => this.#nowMs,
      monotonicNs: () => this.#nowMs * 1e6,
      after: (delayMs, task) => this.#timers.add(this.#nowMs + delayMs, task),
    }
  }
}

const NOBODY: Owner = { epoch: -1, memberId: '-' }

function fateOf(
  dice: number,
  { cut, errors, full }: { cut: boolean; errors: boolean; full: boolean },
): Fate {
  if (cut) return dice < 70 ? 'lost' : dice < 85 ? 'unanswered' : 'late'
  if (full) return 'no_space'
  if (!errors || dice >= 30) return dice === 99 ? 'unanswered' : 'answered'
  return dice < 10 ? 'lost' : dice < 20 ? 'unanswered' : 'late'
}

function toggle(set: Set<number>, place: number): void {
  if (!set.delete(place)) set.add(place)
}
