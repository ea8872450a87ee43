// A replicated log whose member owns the shard: it follows to the end and takes over, with the code
// of production and without an engine around it.
import { type ShardKeys, shardKeys } from '../../engine/agreement/keys.ts'
import type { Owner } from '../../engine/agreement/protocol.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { Tail } from '../../engine/agreement/tail.ts'
import { Follower } from '../../engine/follow.ts'
import type { DecisionLogEvents, EngineLog } from '../../engine/journal/decision-log.ts'
import { ReplicatedLog } from '../../engine/journal/replicated-log.ts'
import { TakeOver } from '../../engine/ownership/take-over.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Teardown } from './postgres.ts'
import { until } from './until.ts'

export interface OwnedLogOptions {
  store: AgreementStore
  keys?: ShardKeys
  memberId?: string
  openLocal(events: DecisionLogEvents): Promise<EngineLog>
  onSynced?(seq: number): void
  onLost?(reason: string): void
}

export interface OwnedLog {
  log: ReplicatedLog
  tail: Tail
  owner: Owner
}

export async function ownedLog(t: Teardown, options: OwnedLogOptions): Promise<OwnedLog> {
  const { store, keys = shardKeys('test', 'one'), memberId = 'mem_a' } = options
  const onFailed = (reason: string): void => {
    throw new Error(reason)
  }
  const tail = new Tail()
  let log: ReplicatedLog | null = null
  const local = await options.openLocal({ onSynced: (seq) => log?.localSynced(seq), onFailed })
  log = new ReplicatedLog({
    local,
    store,
    keys,
    clock: systemClock,
    tail,
    events: {
      onSynced: (seq) => options.onSynced?.(seq),
      onFailed,
      onLost: (reason) => options.onLost?.(reason),
    },
  })
  const owning = log
  let won: Owner | null = null
  const follower = new Follower({
    store,
    keys,
    clock: systemClock,
    tail,
    lastSeq: local.lastSeq,
    events: {
      apply: (seq, bytes) => owning.take(seq, bytes),
      onOwner(owner) {
        if (!takeOver.heard(owner)) takeOver.begin(owner)
      },
      onFloor: () => {},
      onGap: (fromSeq) => onFailed('entries from ' + fromSeq + ' are missing'),
      onFailed,
    },
  })
  const takeOver = new TakeOver({
    store,
    keys,
    clock: systemClock,
    memberId,
    follower,
    onWon(owner) {
      owning.own(owner)
      won = owner
    },
  })
  t.teardown(() => follower.stop())
  follower.start()
  await until(() => won !== null)
  if (won === null) throw new Error('unreachable')
  return { log: owning, tail, owner: won }
}
