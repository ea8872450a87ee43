// Shards of three to five members each in a seeded world: an agreement store that is slow, away, of
// unknown outcome, without space; watches that end; members that crash, are paused and continued,
// cut off from the store or from each other, and lose their disks; callers that send through the
// front door or to any member that believes it owns; a message that ends each process that takes
// it; tenants that move from one shard to the other. The code is that of production, without real
// time.
import { type Fate, SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { Clock } from '../../shared/clock.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { FIRST_SHARD, shardNames } from '../../shared/shards.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { SimulatedApi } from './cluster-api.ts'
import { SimulatedDoor } from './cluster-door.ts'
import { CLUSTER_SECRET, type ClusterPlanted, type SimulatedMember } from './cluster-member.ts'
import { type ShardWorld, SimulatedShard } from './cluster-shard.ts'
import type { Random } from './random.ts'
import { CARDS, SimulatedConfig } from './simulated-config.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import { TimerHeap } from './timer-heap.ts'

const START_MS = Date.UTC(2027, 0, 1) - 4000
const HEAL_MS = 6000
/** Milliseconds in which a door hears of a new owner. */
const WATCH_MS_MAX = 30
/** Processes that a message may end before no further one gets it. */
const POISONED_MAX = 2
/** Tenants that may move, beside one that stays in each shard. */
const MOVERS = 6
/** Messages of a tenant in the moments around the begin of its move. */
const [MOVED_MESSAGES, MOVED_MS] = [6, 5000]
/** Milliseconds after which an owner asks a tenant that moves; those of the store's absence. */
const [ASKED_MS, AWAY_MS] = [1000, 4000]

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
  readonly #shards: SimulatedShard[] = []
  readonly #members: readonly SimulatedMember[]
  readonly #door: SimulatedDoor
  readonly #doorCopy: { facts: number; readonly config: SimulatedConfig }
  readonly #api: SimulatedApi
  readonly #planted: ClusterPlanted
  readonly #sent: Sent[] = []
  readonly #decided = new Map<string, { shard: SimulatedShard; seq: number }>()
  /** The shard that decided for a card. */
  readonly #homes = new Map<string, SimulatedShard>()
  /** The shard of each tenant at the start; those behind the last shard move. */
  readonly #placed: readonly string[]
  readonly #cutFromStore = new Set<number>()
  readonly #cutFromOwner = new Set<number>()
  /** Processes that each poisonous message ended, by its id. */
  readonly #poisoned = new Map<string, number>()
  #mood: Mood = 'calm'
  #faults = true
  #nowMs = START_MS

  constructor(random: Random, planted: ClusterPlanted = {}, shards = 1) {
    this.#random = random
    this.#planted = planted
    const names = shardNames(shards)
    const tenants = shards === 1 ? 1 : shards + MOVERS
    this.#placed = Array.from({ length: tenants }, (_, at) => names[at % shards] ?? FIRST_SHARD)
    this.#network = new SimulatedNetwork(random)
    this.#network.cards = CARDS * shards
    this.#store = new SimulatedStore({
      clock: this.#clock(),
      delayMs: () => this.#delayMs(),
      lateMs: () => 1 + random.below(4000),
      fate: (memberId) => this.#fate(memberId),
    })
    this.#doorCopy = { facts: 0, config: this.#newConfig() }
    this.#api = new SimulatedApi({
      ...{ clock: this.#clock(), random, planted },
      shards: () => this.#shards,
      doors: () => (shards === 1 ? [] : [this.#doorCopy]),
    })
    for (const name of names) this.#shards.push(this.#openShard(name, shards > 1))
    this.#store.onChanged = (events) => {
      for (const shard of this.#shards) shard.changed(events)
    }
    this.#members = this.#shards.flatMap(({ members }) => members)
    for (const member of this.#members) member.start()
    this.#door = this.#openDoor(names)
    for (const shard of this.#shards) shard.beat()
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
    const isAlone = this.#shards.length === 1
    for (let round = 0; round < 12; round++) {
      for (const sent of this.#sent.filter(({ answers }) => answers.length === 0))
        if (isAlone) this.#deliver(sent)
        else this.#deliverThroughDoor(sent)
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
    else if (dice < 170) this.#shardOf(member).crash(member)
    else if (dice < 174) this.#pause(member)
    else if (dice < 178) toggle(this.#cutFromStore, member.place)
    else if (dice < 181) toggle(this.#cutFromOwner, member.place)
    else if (dice < 183) this.#store.cancelWatches(member.id)
    else if (dice < 184) this.#wipe(member)
    else if (dice < 189) this.#api.toggle(this.#random.below(this.#network.cards))
    else if (dice < 191) this.#confirmDuringTakeOver()
    else if (dice < 192) this.#poison()
    else if (dice < 196 || this.#shards.length === 1) this.#confirm()
    else this.#move()
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

  #send(message: NetworkMessage = this.#network.next(this.#nowMs)): void {
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

  #openShard(name: string, hasOthers: boolean): SimulatedShard {
    const world: ShardWorld = {
      ...{ random: this.#random, clock: this.#clock(), store: this.#store },
      ...{ planted: this.#planted, counts: this.counts, hasOthers },
      ...{ cutFromStore: this.#cutFromStore, cutFromOwner: this.#cutFromOwner },
      newConfig: () => this.#newConfig(),
      faults: () => this.#faults,
      suspendedAt: (card, changes) => this.#api.suspendedAt(card, changes),
      named: (shard, { epoch, memberId }) =>
        this.#at(this.#random.below(WATCH_MS_MAX), () => this.#door.follow(shard, epoch, memberId)),
      decided: (shard, entry, seq) => this.#noteDecision(shard, entry, seq),
      violated: (sentence) => this.#violate(sentence),
    }
    const before = this.#shards.flatMap(({ members }) => members)
    return new SimulatedShard(name, before.length, world)
  }

  #newConfig(): SimulatedConfig {
    return new SimulatedConfig(this.#placed)
  }

  #shardOf(member: SimulatedMember): SimulatedShard {
    return this.#shards.find(({ members }) => members.includes(member)) as SimulatedShard
  }

  /** Each message is decided once, in one shard, and each card in the same one. */
  #noteDecision(shard: SimulatedShard, { message, card }: DecisionEntry, seq: number): void {
    const before = this.#decided.get(message.id)
    if (before !== undefined)
      this.#violate(message.id + ' was decided by ' + before.shard.name + ' and ' + shard.name)
    this.#decided.set(message.id, { shard, seq })
    const cardId = card?.cardId
    if (cardId === undefined) return
    const home = this.#homes.get(cardId) ?? shard
    if (home !== shard)
      this.#violate(cardId + ' has decisions in ' + home.name + ' and ' + shard.name)
    this.#homes.set(cardId, shard)
  }

  #openDoor(shards: readonly string[]): SimulatedDoor {
    return new SimulatedDoor({
      clock: this.#clock(),
      random: this.#random,
      ...{ shards, config: this.#doorCopy.config },
      member: (id) => this.#members.find((member) => member.id === id),
      countsNoDeaths: this.#planted.countsNoDeaths === true,
      arrived: (member, body) => {
        const { id }: { id: string } = JSON.parse(body.toString())
        const ended = this.#poisoned.get(id)
        if (ended === undefined) return true
        this.counts.poisoned += 1
        this.#poisoned.set(id, ended + 1)
        if (ended >= POISONED_MAX) this.#violate(id + ' ended ' + (ended + 1) + ' processes')
        this.#shardOf(member).crash(member)
        return false
      },
    })
  }

  #deliverDirectly(sent: Sent): void {
    const believing = this.#members.filter((member) => member.owns)
    if (believing.length === 0) return
    this.#deliverTo(this.#random.pick(believing), sent)
  }

  #deliverTo(member: SimulatedMember, sent: Sent): void {
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
    const decided = this.#decided.get(sent.id)
    if (decided === undefined || !decided.shard.members.includes(member)) return
    const own = member.disk.entries.at(-1)?.seq ?? 0
    if (own < decided.seq) this.#violate('answered before the local sync: ' + sent.id)
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

  #wipe(member: SimulatedMember): void {
    if (this.#shardOf(member).wipe(member)) this.counts.wipes += 1
  }

  /** The api asks an owner to confirm what it has heard. */
  #confirm(): void {
    const believing = this.#members.filter((member) => member.owns)
    if (believing.length === 0) return
    const member = this.#random.pick(believing)
    this.#confirmOf(member)
    // The worst moments for an owner to end are just before and just after it confirmed.
    const dice = this.#random.below(100)
    if (dice < 15) this.#shardOf(member).crash(member)
    else if (dice < 30) this.#pause(member)
  }

  #confirmOf(member: SimulatedMember): void {
    this.#api.confirm(this.#shardOf(member), member, (raised) => {
      if (!raised) return
      this.counts.confirmed += 1
      for (let count = 0; count < 3; count++) this.#send()
    })
  }

  /** The others no longer hear the owner and take over, while it confirms a record they lack. */
  #confirmDuringTakeOver(): void {
    const [shard] = this.#shards
    const owner = shard?.members.find((member) => member.owns && !member.paused)
    if (shard === undefined || owner === undefined) return
    this.#api.toggle(this.#random.below(this.#network.cards))
    this.#api.tellAll(owner)
    const others = shard.members.filter((member) => member !== owner)
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

  /** The next tenant moves, whose first messages come at this time. */
  #move(): void {
    const tenant = this.#network.cards / CARDS
    const from = this.#placed[tenant]
    if (from === undefined) return
    const to = this.#shards.find(({ name }) => name !== from)?.name ?? from
    this.#network.cards += CARDS
    const isAtItsWorst = this.#random.below(2) === 0
    this.#api.move(tenant, { from, to }, () => {
      if (isAtItsWorst && this.#random.below(3) > 0) this.#goAway()
    })
    if (isAtItsWorst) this.#at(ASKED_MS, () => this.#askBeforeItLeaves(tenant, from))
    const [first, last] = isAtItsWorst ? [2 * ASKED_MS, MOVED_MS + ASKED_MS] : [0, MOVED_MS]
    for (let count = 0; count < MOVED_MESSAGES; count++)
      this.#at(first + this.#random.below(last - first), () => this.#send(this.#purchase(tenant)))
  }

  #purchase(tenant: number): NetworkMessage {
    return this.#network.purchase(this.#nowMs, tenant * CARDS + this.#random.below(CARDS))
  }

  /** The owner asks the tenant about a message, and hears at once that the tenant moves. */
  #askBeforeItLeaves(tenant: number, from: string): void {
    const shard = this.#shards.find(({ name }) => name === from)
    const owner = shard?.believing.find(({ paused }) => !paused)
    if (owner === undefined || !this.#faults) return
    const message = this.#purchase(tenant)
    const sent: Sent = { id: message.id, body: JSON.stringify(message), answers: [], stale: false }
    this.#sent.push(sent)
    this.#deliverTo(owner, sent)
    for (const member of this.#members) this.#api.tellAll(member)
  }

  /** Nothing can be committed for a while. */
  #goAway(): void {
    if (!this.#faults) return
    this.#mood = 'away'
    this.#at(AWAY_MS, () => {
      this.#mood = 'calm'
    })
  }

  #heal(): void {
    this.#faults = false
    this.#mood = 'calm'
    this.#cutFromStore.clear()
    this.#cutFromOwner.clear()
    for (const member of this.#members) {
      if (!member.alive) member.start()
      member.resume()
      this.#api.tellAll(member)
    }
    this.#api.tellAll(this.#doorCopy)
    this.#advance(HEAL_MS)
  }

  #check(): void {
    if (this.violations.length > 0) return
    for (const { id, answers, stale } of this.#sent)
      if (answers.length !== 1 && !stale) this.#violate(id + ' has ' + answers.length + ' answers')
    for (const shard of this.#shards) shard.check()
  }

  get decisions(): number {
    return this.#decided.size
  }

  /** Counts of a world of several shards. */
  get placements() {
    const decided = this.#shards.map(
      (shard) => [...this.#decided.values()].filter((one) => one.shard === shard).length,
    )
    return {
      ...this.#api.counts,
      misplaced: this.#door.misplaced,
      leastDecided: Math.min(...decided),
    }
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
