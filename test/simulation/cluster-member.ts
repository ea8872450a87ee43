// One member of a simulated shard: the landed line, state, replicated log, follower and ownership
// over a simulated disk. It can be paused, which freezes all that runs in it and nothing around it.

import type { ShardKeys } from '../../engine/agreement/keys.ts'
import { type Owner, PROTOCOL, type Protocol } from '../../engine/agreement/protocol.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { Tail } from '../../engine/agreement/tail.ts'
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import { startHoldExpiry } from '../../engine/expire-holds.ts'
import { Follower } from '../../engine/follow.ts'
import { ReplicatedLog } from '../../engine/journal/replicated-log.ts'
import {
  type SimulatedDisk,
  SimulatedLog,
  simulatedDisk,
} from '../../engine/journal/simulated-log.ts'
import type { Line } from '../../engine/line/line.ts'
import { forwardClock } from '../../engine/line-clock.ts'
import { Metrics } from '../../engine/metrics.ts'
import { Floor } from '../../engine/ownership/floor.ts'
import { type MemberReport, Members, SPEAKS } from '../../engine/ownership/members.ts'
import { Ownership } from '../../engine/ownership/ownership.ts'
import { type DecisionState, emptyState, step } from '../../engine/state/decision-state.ts'
import { Breakers } from '../../engine/tenant/breaker.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import type { Random } from './random.ts'
import type { SimulatedConfig } from './simulated-config.ts'
import { simulatedTenant } from './simulated-tenant.ts'

export const CLUSTER_SECRET = 'nsec_cluster'
const JOURNAL = 'jrn_' + '0'.repeat(26)
const DERIVATION = deriveKeys(Buffer.alloc(32, 1), encodeId)
const LOG = createLog({ name: 'simulation', level: 'silent' })
const SILENT_MS = 250
const LAG_MAX = 5000

/** A bug that is planted into every member. */
export interface ClusterPlanted {
  protocol?: Protocol
  store?(store: AgreementStore, member: SimulatedMember): AgreementStore
  /** Changes a member after it was built and before it starts. */
  member?(member: SimulatedMember): void
  /** A member without a disk keeps its id. */
  keepsIdWhenWiped?: true
  /** A restarted member goes on in the epoch it owned before. */
  resumesOldEpoch?: true
  /** The caller of a config change hears before the floor was raised. */
  confirmsEarly?: true
  /** A repeat between the commit of its message and the local sync is decided as a new message. */
  forgetsBetweenCommitAndSync?: true
  /** The front door takes every owner for the one before. */
  countsNoDeaths?: true
  /** An engine decides for the cards of another shard. */
  decidesForEveryShard?: true
  /** The part of a move that the api leaves out. */
  moves?:
    | 'without_leaving'
    | 'unconfirmed'
    | 'while_tenants_are_asked'
    | 'unsettled'
    | 'although_decided'
}

/** The world around a member. */
export interface Surroundings {
  random: Random
  keys: ShardKeys
  /** The shard that the members decide for; null: there is only one. */
  shard: string | null
  /** The records of a member that was not told of any change yet. */
  newConfig(): SimulatedConfig
  clock: Clock
  faults(): boolean
  storeOf(memberId: string): AgreementStore
  violated(sentence: string): void
  lost(member: SimulatedMember, reason: string): void
  owned(member: SimulatedMember, owner: Owner): void
  appended(member: SimulatedMember, bytes: Buffer): void
  synced(member: SimulatedMember): void
  /** A member reports so many entries on its disk under its id. */
  reported(member: SimulatedMember, synced: number): void
  gap(member: SimulatedMember, range: { fromSeq: number; untilSeq: number }, done: () => void): void
  planted: ClusterPlanted
}

export class SimulatedMember {
  readonly place: number
  readonly world: Surroundings
  id: string
  life = 0
  alive = false
  paused = false
  facts = 0
  readonly config: SimulatedConfig
  disk: SimulatedDisk = simulatedDisk(JOURNAL)
  log!: ReplicatedLog
  local!: SimulatedLog
  state!: DecisionState
  /** Opened when this member becomes the owner: its clock goes on from the last decision. */
  line: AuthorizationLine | null = null
  follower!: Follower
  ownership!: Ownership
  members!: Members
  floor!: Floor
  store!: AgreementStore
  readonly #held: (() => void)[] = []
  #wipes = 0
  #transactions = 0
  #expiry: { stop(): void } | null = null

  constructor(place: number, world: Surroundings) {
    this.place = place
    this.world = world
    this.config = world.newConfig()
    this.id = 'mem_' + place + '_0'
  }

  get owns(): boolean {
    return this.alive && this.log.role === 'owner'
  }

  get keys(): ShardKeys {
    return this.world.keys
  }

  /** Runs a task of the present life, later if the member is paused. */
  gate(life: number, task: () => void): void {
    if (life !== this.life) return
    if (this.paused) this.#held.push(() => this.gate(life, task))
    else task()
  }

  resume(): void {
    this.paused = false
    for (const task of this.#held.splice(0)) task()
  }

  crash(): void {
    if (!this.alive) return
    this.life += 1
    this.alive = false
    this.paused = false
    this.#held.length = 0
    this.#expiry?.stop()
    const { random } = this.world
    this.local.crash(random.below(this.local.waiting + 1))
  }

  /** Its disk is replaced: it comes back as another member. */
  wipe(): void {
    this.disk = simulatedDisk(JOURNAL)
    this.#wipes += 1
    if (this.world.planted.keepsIdWhenWiped !== true)
      this.id = 'mem_' + this.place + '_' + this.#wipes
  }

  start(): void {
    this.life += 1
    this.alive = true
    const clock = this.#clock()
    const { keys, planted } = this.world
    const protocol = planted.protocol ?? PROTOCOL
    const bare = this.#gated(this.world.storeOf(this.id))
    const store = planted.store?.(bare, this) ?? bare
    this.store = store
    const tail = new Tail()
    this.#openLog(clock, { store, tail, protocol })
    this.state = emptyState()
    this.local.replay(1, (seq, bytes) => this.#step(seq, bytes))
    this.floor = new Floor({
      store,
      keys,
      clock,
      protocol,
      covers: (cursor) => this.facts >= Number(cursor),
    })
    this.follower = new Follower({
      store,
      keys,
      clock,
      tail,
      lastSeq: this.local.lastSeq,
      events: {
        apply: (seq, bytes) => {
          this.log.take(seq, bytes)
          this.#step(seq, bytes)
          this.#syncSoon()
        },
        onOwner: (owner) => this.#heardOwner(owner),
        onFloor: (cursor) => this.floor.heard(cursor),
        onGap: (fromSeq, untilSeq, done) => this.world.gap(this, { fromSeq, untilSeq }, done),
        onFailed: (reason) => this.world.violated(this.id + ': ' + reason),
      },
    })
    this.members = new Members({
      store,
      keys,
      clock,
      memberId: this.id,
      report: () => this.#report(clock),
    })
    this.ownership = new Ownership({
      store,
      keys,
      clock,
      memberId: this.id,
      follower: this.follower,
      log: this.log,
      tail,
      members: this.members,
      silentMs: SILENT_MS,
      ineligible: () => this.#ineligible(),
      onFollowing: () => {},
      onOwned: (owner) => this.#own(owner),
      protocol,
    })
    this.line = null
    planted.member?.(this)
    this.ownership.start()
    this.members.start()
    this.follower.start()
  }

  #report(clock: Clock): MemberReport {
    const { syncedSeq: synced, lastSeq: applied } = this.log
    this.world.reported(this, synced)
    return {
      address: this.id,
      network: this.id,
      speaks: SPEAKS,
      synced,
      applied,
      drained: 0,
      database: null,
      facts: String(this.facts),
      clock_ms: clock.nowMs(),
      ineligible: this.#ineligible(),
    }
  }

  #openLog(
    clock: Clock,
    { store, tail, protocol }: { store: AgreementStore; tail: Tail; protocol: Protocol },
  ): void {
    const life = this.life
    const { keys } = this.world
    this.local = new SimulatedLog({
      disk: this.disk,
      clock,
      events: {
        onSynced: (seq) => {
          if (life === this.life) this.log.localSynced(seq)
        },
        onFailed: (reason) => this.world.violated(reason),
      },
    })
    this.local.writeNow = () => this.#syncSoon()
    this.log = new ReplicatedLog({
      local: this.local,
      store,
      keys,
      clock,
      tail,
      protocol,
      soon: (task) => void clock.after(0, task),
      events: {
        onSynced: (seq) => {
          if (life !== this.life) return
          this.world.synced(this)
          this.line?.synced(seq)
        },
        onFailed: (reason) => this.world.violated(this.id + ': ' + reason),
        onLost: (reason) => {
          if (life === this.life) this.world.lost(this, reason)
        },
      },
    })
  }

  #step(seq: number, bytes: Buffer): void {
    step(this.state, { type: 'entry', seq, entry: decodeEntry(bytes) })
  }

  /** The device takes its time; a few writes share a sync. */
  #syncSoon(): void {
    const { clock, random } = this.world
    const life = this.life
    clock.after(random.below(12), () => this.gate(life, () => this.local.sync()))
  }

  #heardOwner(owner: Owner): void {
    const resumes = this.world.planted.resumesOldEpoch === true && owner.memberId === this.id
    if (resumes && this.log.role === 'follower' && !this.ownership.owns) {
      this.follower.stop()
      this.log.own(owner)
      this.#own(owner)
    } else this.ownership.heardOwner(owner)
  }

  #own(owner: Owner): void {
    this.floor.own(owner)
    this.#openLine(this.#clock())
    this.world.owned(this, owner)
  }

  #ineligible(): string | null {
    if (!this.follower.current) return 'the journal is not complete'
    return this.ownership.lag > LAG_MAX ? 'too far behind' : null
  }

  #unready(): string | null {
    if (!this.owns) return 'this member follows'
    return this.floor.missing ? 'config records are missing' : null
  }

  #openLine(clock: Clock): void {
    const { random } = this.world
    const wall = forwardClock(clock, this.state.latestMs)
    const life = this.life
    const append = this.log.append.bind(this.log)
    this.log.append = (bytes) => {
      this.world.appended(this, bytes)
      return append(bytes)
    }
    const line: Line = {
      clock: wall,
      budgetMs: 1500,
      build: 'simulation',
      shard: this.world.planted.decidesForEveryShard === true ? null : this.world.shard,
      configCache: this.config,
      secrets: {
        derivation: () => DERIVATION,
        networkKeys: () => [
          { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: CLUSTER_SECRET },
        ],
        endpointSecrets: () => ['whsec_x'],
      },
      state: this.state,
      journal: this.log,
      tenants: simulatedTenant({ random, clock: wall, faults: this.world.faults }),
      breakers: new Breakers(),
      metrics: new Metrics(),
      log: LOG,
      logsDecisions: false,
      newTransactionId: () => {
        const bytes = Buffer.alloc(16)
        bytes.writeUInt32BE(++this.#transactions, 12)
        bytes.writeUInt32BE(life, 8)
        bytes.writeUInt32BE(this.place, 4)
        return { text: 'txn_' + encodeId(bytes), bytes }
      },
      unready: () => this.#unready(),
      stop: (reason) => this.world.violated(reason),
    }
    const opened = openAuthorizationLine(line)
    const forgets = this.world.planted.forgetsBetweenCommitAndSync === true
    this.line = forgets ? this.#forgetful(opened, line) : opened
    this.#expiry = startHoldExpiry(line)
  }

  /** Planted: a committed message that waits for the local sync is unknown to its repeats. */
  #forgetful(opened: AuthorizationLine, line: Line): AuthorizationLine {
    const seqs = new Map<string, number>()
    return {
      ...opened,
      authorize: (raw) => {
        const id: string = 'body' in raw ? JSON.parse(raw.body.toString()).id : ''
        const { lastSeq, committedSeq, syncedSeq } = this.log
        const seq = seqs.get(id)
        if (seq !== undefined && seq <= committedSeq && seq > syncedSeq) {
          const state = { ...line.state, recall: emptyState().recall }
          return openAuthorizationLine({ ...line, state }).authorize(raw)
        }
        opened.authorize(raw)
        if (seq === undefined && this.log.lastSeq > lastSeq) seqs.set(id, this.log.lastSeq)
      },
    }
  }

  #clock(): Clock {
    const { clock } = this.world
    const life = this.life
    return {
      nowMs: () => clock.nowMs(),
      monotonicNs: () => clock.monotonicNs(),
      after: (delayMs, task) => {
        // A paused process finds its timer due later, and may still cancel it then.
        let cancelled = false
        const run = (): void => {
          if (!cancelled) task()
        }
        const timer = clock.after(delayMs, () => this.gate(life, run))
        return {
          cancel() {
            cancelled = true
            timer.cancel()
          },
        }
      },
    }
  }

  /** Nothing reaches a member that is dead, nor a paused one before it goes on. */
  #gated(store: AgreementStore): AgreementStore {
    const life = this.life
    const pass =
      <Value>(task: (value: Value) => void) =>
      (value: Value): void =>
        this.gate(life, () => task(value))
    return {
      transact: (transaction, done) => store.transact(transaction, pass(done)),
      range: (reads, done) => store.range(reads, pass(done)),
      watch: (range, handlers) =>
        store.watch(range, {
          onEvents: pass(handlers.onEvents),
          onCancelled: pass(handlers.onCancelled),
        }),
      compact: (revision, done) => store.compact(revision, pass(done)),
      close: () => store.close(),
    }
  }
}
