// The owner trims the agreement store: batches that two members hold on their disks go, never the
// newest; then the history before that is compacted. Both are fenced or harmless.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { ShardKeys } from './keys.ts'
import { type Owner, PROTOCOL, type Protocol } from './protocol.ts'
import type { AgreementStore } from './store.ts'
import type { Tail } from './tail.ts'

const TRIM_MS = 2000
/** Members that must hold an entry before the store forgets it. */
const COPIES = 2

export interface TrimOptions {
  store: AgreementStore
  keys: ShardKeys
  clock: Clock
  tail: Tail
  owner: Owner
  /** Last entry that so many members hold on their disks. */
  heldBy(copies: number): number
  /** Replaced by tests that plant a bug. */
  protocol?: Protocol
}

/** Trims every TRIM_MS until it is stopped. */
export function startTrim(options: TrimOptions): { stop(): void } {
  const { store, keys, clock, tail, owner, protocol = PROTOCOL } = options
  let stopped = false
  let timer: Timer
  const again = (): void => {
    if (!stopped) timer = clock.after(TRIM_MS, trim)
  }
  const trim = (): void => {
    const key = tail.keptFrom(options.heldBy(COPIES))
    if (key === null) return again()
    store.transact(protocol.trim(keys, owner, key), (outcome) => {
      if (stopped || outcome.outcome !== 'succeeded') return again()
      tail.dropBefore(key)
      // Compaction is for all keys of the store: a watch of another shard that lags begins anew.
      store.compact(outcome.revision, again)
    })
  }
  again()
  return {
    stop() {
      stopped = true
      timer.cancel()
    },
  }
}
