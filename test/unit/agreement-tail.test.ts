// The space of etcd that a shard may fill with entries that two members do not hold yet.
import { test } from 'tap'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import { Tail } from '../../engine/agreement/tail.ts'
import { ReplicatedLog } from '../../engine/journal/replicated-log.ts'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { systemClock as clock } from '../../shared/clock.ts'

const MB = 1024 * 1024
const KEYS = shardKeys('test', 'one')

test('the shards of a cell fill 512 MB of etcd at most, and none more than 64 MB', (t) => {
  for (const [shards, mb] of [
    [1, 64],
    [8, 64],
    [16, 32],
    [64, 8],
  ] as const)
    t.equal(new Tail(shards).bytesMax, mb * MB, shards + ' shards')
  t.end()
})

test('an owner refuses messages while the tail of its shard is full', (t) => {
  const onFailed = (reason: string): void => {
    t.fail(reason)
  }
  const store = new SimulatedStore({
    clock,
    delayMs: () => 0,
    lateMs: () => 0,
    fate: () => 'answered',
  })
  const tail = new Tail(16)
  const log = new ReplicatedLog({
    local: new SimulatedLog({
      disk: simulatedDisk('jrn_' + '0'.repeat(26)),
      clock,
      events: { onSynced: () => undefined, onFailed },
    }),
    ...{ store: store.client('mem_a'), keys: KEYS, clock, tail },
    events: { onSynced: () => undefined, onFailed, onLost: onFailed },
  })
  log.own({ epoch: 1, memberId: 'mem_a' })
  tail.add({ key: KEYS.log(1), lastSeq: 1, bytes: 32 * MB - 1 })
  t.equal(log.writable, true)
  tail.add({ key: KEYS.log(2), lastSeq: 2, bytes: 1 })
  t.equal(log.writable, false)
  tail.dropBefore(KEYS.log(2))
  t.equal(log.writable, true)
  t.end()
})
