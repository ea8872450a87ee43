// Entries that the agreement store no longer holds, page by page from another member's journal. An
// entry that was committed never changes, so any member will do.
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Follower } from '../follow.ts'
import { ENTRY_PREFIX_BYTES, nextEntry } from '../journal/batch.ts'
import type { Members } from '../ownership/members.ts'
import type { Peers } from './peer.ts'

const PAGE_BYTES = 256 * 1024
/** Chosen: a page every 4 ms at most is 64 MB a second, beside which an owner keeps its time. */
const PAGE_PAUSE_MS = 4
const AGAIN_MS = 100
/** Chosen: members that all lack the entries for so long leave only a snapshot, at a new start. */
const GONE_MS_MAX = 5000

export interface CatchUpOptions {
  clock: Clock
  log: Logger
  memberId: string
  journal: { readonly journalId: string }
  peers: Peers
  members: Members
  follower: Follower
  onFailed(reason: string): void
}

export class CatchUp {
  readonly #options: CatchUpOptions

  constructor(options: CatchUpOptions) {
    this.#options = options
  }

  /** Fetches the entries and hands them to the follower; calls `done` once it has them. */
  async run(range: { fromSeq: number; untilSeq: number }, done: () => void): Promise<void> {
    const { clock, log, follower, onFailed } = this.#options
    const { fromSeq, untilSeq } = range
    log.info({ from_seq: fromSeq, until_seq: untilSeq }, 'fetching entries from another member')
    let goneSinceNs: number | null = null
    while (follower.lastSeq < untilSeq) {
      const outcome = await this.#fetchNext()
      if (outcome === 'fetched') {
        goneSinceNs = null
        await sleep(PAGE_PAUSE_MS)
        continue
      }
      goneSinceNs = outcome === 'gone' ? (goneSinceNs ?? clock.monotonicNs()) : null
      if (goneSinceNs !== null && (clock.monotonicNs() - goneSinceNs) / 1e6 > GONE_MS_MAX)
        return onFailed('no member keeps entry ' + (follower.lastSeq + 1) + ' any more')
      await sleep(AGAIN_MS)
    }
    done()
  }

  /** `gone`: every member that answered has dropped the next entry. */
  async #fetchNext(): Promise<'fetched' | 'gone' | 'silent'> {
    const { peers, members, memberId, follower, journal } = this.#options
    const { journalId } = journal
    let outcome: 'gone' | 'silent' = 'silent'
    // Reports of members that are gone stay; those that live are asked first.
    const others = members.all
      .filter(({ id }) => id !== memberId)
      .sort((one, other) => Number(other.alive) - Number(one.alive))
    for (const { report } of others) {
      const wanted = { journalId, fromSeq: follower.lastSeq + 1, bytesMax: PAGE_BYTES }
      const page = await peers.page(report.address, wanted)
      if (page === 'gone') outcome = 'gone'
      else if (page !== null && page.count > 0) {
        this.#take(page.frames)
        return 'fetched'
      }
    }
    return outcome
  }

  #take(frames: Buffer): void {
    const { follower } = this.#options
    for (let at = 0; at < frames.length; ) {
      const next = nextEntry(frames, at)
      follower.fetched(follower.lastSeq + 1, frames.subarray(at + ENTRY_PREFIX_BYTES, next))
      at = next
    }
  }
}
