// The members of a shard: each writes a report of itself every second and reads those of the
// others. A report counts while it changes, judged by the reader's own clock.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import type { AgreementStore, KeyValue } from '../agreement/store.ts'

export interface MemberReport {
  /** Host and port of the link to this member. */
  address: string
  /** Host and port of its network port; the front door sends messages there. */
  network: string
  /** Newest format of entries that this member reads. */
  speaks: number
  /** Last entry on its disk. */
  synced: number
  /** Last entry in its decision state. */
  applied: number
  /** Last entry that PostgreSQL has, as far as the member knows. */
  drained: number
  /** Identity of the database that has them; null before one attached, or of a release before. */
  database: string | null
  /** Cursor of its config records; null while they are not complete. */
  facts: string | null
  /** Its clock, in milliseconds since the epoch. */
  clock_ms: number
  /** Null where the member may take over; else the reason against it. */
  ineligible: string | null
}

export interface Member {
  id: string
  report: MemberReport
  /** True while the report was written anew within the last seconds. */
  alive: boolean
}

const REPORT_MS = 1000
/** Chosen: three reports that are missing make a member count as gone. */
const ALIVE_MS = 3500
/** The newest format of journal entries that this version reads. */
export const SPEAKS = 1
/** The format that it writes: a new one ships one release after its reader. */
const WRITES = 1

export interface MembersOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  memberId: string
  report(): MemberReport
  /** Called after each reading. */
  onRead?(): void
}

export class Members {
  readonly #options: MembersOptions
  readonly #seen = new Map<string, { member: Member; revision: number; seenNs: number }>()
  #timer: Timer | null = null
  #stopped = false
  #isProving = false
  /** Monotonic nanoseconds of the last report that the store took; null before the first. */
  #wroteNs: number | null = null

  constructor(options: MembersOptions) {
    this.#options = options
  }

  start(): void {
    this.#write()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  get all(): Member[] {
    const nowNs = this.#options.clock.monotonicNs()
    return [...this.#seen.values()].map(({ member, seenNs }) => {
      return { ...member, alive: (nowNs - seenNs) / 1e6 <= ALIVE_MS }
    })
  }

  find(id: string): Member | null {
    return this.#seen.get(id)?.member ?? null
  }

  /** A living member that does not read what this version writes; null where all read it. */
  get older(): string | null {
    const older = this.all.find(({ alive, report }) => alive && report.speaks < WRITES)
    return older?.id ?? null
  }

  /** Milliseconds since the store last took a write of this member; infinite before the first. */
  get wroteMsAgo(): number {
    if (this.#wroteNs === null) return Number.POSITIVE_INFINITY
    return (this.#options.clock.monotonicNs() - this.#wroteNs) / 1e6
  }

  /**
   * Position among the eligible members that live, by applied entries and then by id: 0 goes first.
   */
  get rank(): number {
    const { memberId, report } = this.#options
    const own = report().applied
    return this.all.filter(
      ({ id, alive, report: { applied, ineligible } }) =>
        id !== memberId &&
        alive &&
        ineligible === null &&
        (applied > own || (applied === own && id < memberId)),
    ).length
  }

  /**
   * Last entry that `copies` members hold on their disks, this one included; 0 while fewer live.
   */
  heldBy(copies: number): number {
    const { memberId, report } = this.#options
    const others = this.all
      .filter(({ id, alive }) => alive && id !== memberId)
      .map((member) => member.report.synced)
    const synced = [report().synced, ...others].sort((one, other) => other - one)
    return synced[copies - 1] ?? 0
  }

  /** Writes a report out of turn, so that `wroteMsAgo` tells whether the store takes it now. */
  prove(): void {
    if (this.#stopped || this.#isProving) return
    this.#isProving = true
    this.#put(() => {
      this.#isProving = false
    })
  }

  #write(): void {
    if (this.#stopped) return
    this.#put(() => this.#readAll())
  }

  #put(done: () => void): void {
    const { store, keys, memberId, report, clock } = this.#options
    const value = Buffer.from(JSON.stringify(report()))
    const put = { write: 'put' as const, key: keys.member(memberId), value }
    store.transact({ compares: [], writes: [put], otherwise: [] }, (outcome) => {
      if (outcome.outcome === 'succeeded') this.#wroteNs = clock.monotonicNs()
      done()
    })
  }

  #readAll(): void {
    if (this.#stopped) return
    const { store, keys, clock, onRead } = this.#options
    store.range([{ from: keys.membersBegin, until: keys.membersEnd }], (outcome) => {
      if (this.#stopped) return
      if (outcome.outcome === 'read') {
        for (const row of outcome.reads[0] ?? []) this.#note(row)
        onRead?.()
      }
      this.#timer = clock.after(REPORT_MS, () => this.#write())
    })
  }

  #note({ key, value, revision }: KeyValue): void {
    const id = key.slice(this.#options.keys.membersBegin.length)
    const before = this.#seen.get(id)
    if (before?.revision === revision) return
    const report = parseReport(value)
    if (report === null) return
    // A report found at the first look may be of a member that is long gone.
    const seenNs =
      before === undefined ? Number.NEGATIVE_INFINITY : this.#options.clock.monotonicNs()
    this.#seen.set(id, { member: { id, report, alive: false }, revision, seenNs })
  }
}

/** Returns the report of a member, or null where it cannot be read. */
export function parseReport(value: Buffer): MemberReport | null {
  let row: { readonly [name: string]: unknown }
  try {
    const parsed: unknown = JSON.parse(value.toString('utf8'))
    if (typeof parsed !== 'object' || parsed === null) return null
    row = { ...parsed }
  } catch {
    return null
  }
  const { address, network, database = null, facts, ineligible } = row
  const numbers = ['speaks', 'synced', 'applied', 'drained', 'clock_ms'] as const
  if (typeof address !== 'string' || typeof network !== 'string') return null
  if (!numbers.every((name) => Number.isSafeInteger(row[name]))) return null
  if (database !== null && typeof database !== 'string') return null
  if (facts !== null && typeof facts !== 'string') return null
  if (ineligible !== null && typeof ineligible !== 'string') return null
  const [speaks = 0, synced = 0, applied = 0, drained = 0, clock_ms = 0] = numbers.map((name) =>
    Number(row[name]),
  )
  return {
    address,
    network,
    database,
    speaks,
    synced,
    applied,
    drained,
    facts,
    clock_ms,
    ineligible,
  }
}
