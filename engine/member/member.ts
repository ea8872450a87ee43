// A member of a shard around its decision state: it follows, reports of itself, suspects, takes
// over and hands over. The engine asks it whether it may decide.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import type { Owner } from '../agreement/protocol.ts'
import type { ConfigCache } from '../config-cache/config-cache.ts'
import type { Answer } from '../control/answers.ts'
import type { DatabaseTimeline } from '../database-timeline.ts'
import { Follower } from '../follow.ts'
import { Floor } from '../ownership/floor.ts'
import { type MemberReport, Members, SPEAKS } from '../ownership/members.ts'
import { Ownership } from '../ownership/ownership.ts'
import { type DecisionState, step } from '../state/decision-state.ts'
import { CatchUp } from './catch-up.ts'
import { coversFloor, floorOf, type HeldConfig } from './config-floor.ts'
import { forwardToOwner } from './forward.ts'
import { handOver } from './hand-over.ts'
import type { Joined } from './join.ts'
import type { OwnerBeat } from './link-paths.ts'
import { OwnerLink } from './owner-link.ts'

/** A member further behind would keep every message waiting while it applies the rest. */
const LAG_MAX = 5000
const CLOCK_APART_MS_MAX = 500
const BEATS_COMPARED = 20

export interface MemberParts extends Joined {
  clock: Clock
  log: Logger
  state: DecisionState
  /** Host and port of the network port. */
  network: string
  configCache: Pick<ConfigCache, 'cursor' | 'databaseId'>
  timeline: Pick<DatabaseTimeline, 'replaces'>
  /** Why this machine must not decide, whoever owns the shard; null where it may. */
  unfit(): string | null
  drainedSeq(): number
  /** The database that attached here; null before the first. */
  attachedTo(): string | null
  /** PostgreSQL has the entries up to `seq`, as another member reports. */
  onDrained(seq: number): void
  /** This member owns the shard; every entry before is applied. */
  onOwned(): void
  onFailed(reason: string): void
}

export class Member {
  readonly parts: MemberParts
  readonly members: Members
  readonly ownership: Ownership
  readonly follower: Follower
  readonly floor: Floor
  readonly #link: OwnerLink
  readonly #catchUp: CatchUp
  #handingOver = false
  #membersRead = false
  /** The own clock less the owner's, at the last beats: a delay of a beat only adds to it. */
  readonly #clockApartMs: number[] = []
  /** Monotonic nanoseconds since which an owner is unfit to decide; null while it is fit. */
  #unfitNs: number | null = null
  /** The floor that was compared last, with the own records at that time, and the outcome. */
  #covered: HeldConfig & { floor: string; outcome: boolean } = {
    ...{ floor: '', cursor: '', databaseId: '', attachedTo: null },
    outcome: false,
  }

  constructor(parts: MemberParts) {
    this.parts = parts
    const { store, keys, clock, memberId, tail, journal } = parts
    this.floor = new Floor({ store, keys, clock, covers: (cursor) => this.#covers(cursor) })
    this.follower = new Follower({
      store,
      keys,
      clock,
      tail,
      lastSeq: journal.lastSeq,
      events: {
        apply: (seq, bytes) => this.#apply(seq, bytes),
        onOwner: (owner) => this.#heardOwner(owner),
        onFloor: (cursor) => this.floor.heard(cursor),
        onGap: (fromSeq, untilSeq, done) => void this.#catchUp.run({ fromSeq, untilSeq }, done),
        onFailed: parts.onFailed,
      },
    })
    this.members = new Members({
      store,
      keys,
      clock,
      memberId,
      report: () => this.#report(),
      onRead: () => this.#heardMembers(),
    })
    this.ownership = new Ownership({
      store,
      keys,
      clock,
      memberId,
      follower: this.follower,
      log: journal,
      tail,
      members: this.members,
      silentMs: parts.config.silentMs,
      ineligible: () => this.ineligible(),
      onFollowing: (owner) => this.#follow(owner),
      onOwned: (owner) => this.#own(owner),
    })
    this.#catchUp = new CatchUp({ ...parts, members: this.members, follower: this.follower })
    this.#link = new OwnerLink({
      clock,
      peers: parts.peers,
      addressOf: (id) => this.members.find(id)?.report.address ?? null,
      onBeat: (beat) => this.#heardBeat(beat),
      onClosed: (epoch) => this.ownership.closed(epoch),
    })
  }

  start(): void {
    this.ownership.start()
    this.members.start()
    this.follower.start()
  }

  async stop(): Promise<void> {
    this.ownership.stop()
    this.members.stop()
    this.floor.stop()
    this.#link.stop()
    this.parts.practice.stop()
    await this.parts.epochs.settled()
    await this.parts.store.close()
  }

  /** Why this member decides nothing now, in one sentence; null while it may. */
  unready(): string | null {
    if (!this.ownership.owns) return FOLLOWS
    if (this.#handingOver) return 'The shard is being handed over.'
    return this.floor.missing ? 'Config records that were confirmed are missing here.' : null
  }

  /** Why this member may not take over; null where it may. */
  ineligible(): string | null {
    const { journal, configCache, unfit } = this.parts
    if (!this.#membersRead) return 'the other members were not read yet'
    if (!this.follower.current) return 'the journal is not complete'
    if (this.ownership.lag > LAG_MAX) return 'more than ' + LAG_MAX + ' entries behind'
    if (configCache.cursor === null) return 'the config records are not complete'
    if (this.floor.missing) return 'config records that were confirmed are missing'
    const { older } = this.members
    if (older !== null) return 'member ' + older + ' does not read the entries of this version'
    if (this.#clockApart() > CLOCK_APART_MS_MAX)
      return 'the clock differs from the owner’s by more than ' + CLOCK_APART_MS_MAX + ' ms'
    if (!journal.local.writable) return 'no room on disk'
    return unfit()
  }

  /** Binds every later owner to the config records of this member. */
  confirm(): Promise<boolean> {
    const { cursor, databaseId } = this.parts.configCache
    if (cursor === null || databaseId === null) return Promise.resolve(false)
    return new Promise((resolve) => this.floor.raise(floorOf({ cursor, databaseId }), resolve))
  }

  /** The owner's answer to a request of the control socket; null where this member owns. */
  forward(method: string, url: string, body: Buffer): Promise<Answer> | null {
    if (this.ownership.owns) return null
    const address = this.#ownerAddress()
    return forwardToOwner(this.parts.peers, address, { method, path: url, body })
  }

  /** Hands the shard to a member, the one that applied most when none is named. */
  async handOver(to: string | null): Promise<Result<null, string>> {
    if (this.#handingOver) return { ok: false, error: 'The shard is being handed over already.' }
    this.#handingOver = true
    const { members, ownership } = this
    const handed = await handOver({ ...this.parts, members, ownership }, to)
    if (!handed.ok) this.#handingOver = false
    return handed
  }

  /** The beat for followers; null while this member follows. */
  beat(): OwnerBeat | null {
    const { journal, clock } = this.parts
    if (!this.ownership.owns) return null
    const { epoch, committedSeq, stuckMs } = journal
    return {
      epoch,
      committedSeq,
      stuckMs: Math.max(stuckMs, this.#unfitMs()),
      clockMs: clock.nowMs(),
    }
  }

  #clockApart(): number {
    const apart = this.#clockApartMs
    return apart.length === 0 ? 0 : Math.min(...apart.map(Math.abs))
  }

  /** For how long this owner may not decide; followers take over from it as from a stuck one. */
  #unfitMs(): number {
    const { journal, clock, unfit } = this.parts
    const isUnfit = unfit() !== null || !journal.local.writable
    this.#unfitNs = isUnfit ? (this.#unfitNs ?? clock.monotonicNs()) : null
    return this.#unfitNs === null ? 0 : (clock.monotonicNs() - this.#unfitNs) / 1e6
  }

  #ownerAddress(): string | null {
    const owner = this.ownership.owner
    // The shard may be this member's before it decides; it cannot ask itself.
    if (owner?.memberId === this.parts.memberId) return null
    return owner === null ? null : (this.members.find(owner.memberId)?.report.address ?? null)
  }

  #apply(seq: number, bytes: Buffer): void {
    const { journal, state, practice } = this.parts
    journal.take(seq, bytes)
    const entry = decodeEntry(bytes)
    step(state, { type: 'entry', seq, entry })
    practice.heard(entry)
  }

  #follow(owner: Owner): void {
    const { memberId, log } = this.parts
    log.info({ owner: owner.memberId, epoch: owner.epoch }, 'following the owner of the shard')
    if (owner.memberId === memberId) this.#link.stop()
    else this.#link.follow(owner)
  }

  /** An owner of an earlier epoch than one that was seen is one of another etcd. */
  #heardOwner(owner: Owner): void {
    const refused = this.parts.epochs.refuse(owner.epoch)
    if (refused === null) return this.ownership.heardOwner(owner)
    this.follower.stop()
    this.parts.onFailed(refused)
  }

  #own(owner: Owner): void {
    const { log, journal, onOwned, epochs } = this.parts
    const { cause } = this.ownership
    epochs.refuse(owner.epoch)
    this.#link.stop()
    this.floor.own(owner)
    onOwned()
    log.warn({ epoch: owner.epoch, seq: journal.lastSeq, cause }, 'this member owns the shard')
  }

  #heardBeat(beat: OwnerBeat): void {
    this.#clockApartMs.push(this.parts.clock.nowMs() - beat.clockMs)
    if (this.#clockApartMs.length > BEATS_COMPARED) this.#clockApartMs.shift()
    this.ownership.beat(beat)
  }

  #heardMembers(): void {
    this.#membersRead = true
    const { journal, onDrained, drainedSeq, attachedTo } = this.parts
    const own = attachedTo()
    const drained = this.members.all
      // A primary that was replaced may have had more than its successor.
      .filter(({ report }) => own === null || report.database === null || report.database === own)
      .reduce((most, { report }) => Math.max(most, report.drained), 0)
    if (drained > drainedSeq()) onDrained(Math.min(drained, journal.syncedSeq))
  }

  #covers(floor: string): boolean {
    const { configCache, timeline, attachedTo } = this.parts
    const { cursor, databaseId } = configCache
    if (cursor === null || databaseId === null) return false
    const held = { cursor, databaseId, attachedTo: attachedTo() }
    const known = this.#covered
    if (
      known.floor !== floor ||
      known.cursor !== cursor ||
      known.databaseId !== databaseId ||
      known.attachedTo !== held.attachedTo
    ) {
      const outcome = coversFloor(floor, held, (id, former) => timeline.replaces(id, former))
      this.#covered = { ...held, floor, outcome }
    }
    return this.#covered.outcome
  }

  #report(): MemberReport {
    const { config, journal, clock, network, configCache, drainedSeq, attachedTo } = this.parts
    return {
      address: config.address.host + ':' + config.address.port,
      network,
      speaks: SPEAKS,
      synced: journal.syncedSeq,
      applied: journal.lastSeq,
      drained: drainedSeq(),
      database: attachedTo(),
      facts: configCache.cursor,
      clock_ms: Math.round(clock.nowMs()),
      ineligible: this.ineligible(),
    }
  }
}

const FOLLOWS = 'This engine follows: another member owns the shard.'
