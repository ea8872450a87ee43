// A follower whose reads and watches a test answers by hand.
import { test } from 'tap'
import { encodeFrame } from '../../engine/agreement/frame.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { ownerValue } from '../../engine/agreement/protocol.ts'
import type { AgreementStore, KeyValue, WatchHandlers } from '../../engine/agreement/store.ts'
import { Tail } from '../../engine/agreement/tail.ts'
import { Follower } from '../../engine/follow.ts'
import type { Clock } from '../../shared/clock.ts'

const KEYS = shardKeys('test', 'one')
const OWNER = { epoch: 1, memberId: 'mem_a' }

function batch(first: number, count: number): KeyValue {
  const entry = Buffer.from([1, 0, 0, 0, 7])
  const entries = Buffer.concat(Array.from({ length: count }, () => entry))
  const key = KEYS.log(count === 0 ? first - 1 : first)
  return { key, value: encodeFrame({ epoch: 1, first, count, entries }), revision: 1 }
}

function byHand() {
  const due: (() => void)[] = []
  const reads: ((batches: KeyValue[], revision?: number) => void)[] = []
  const watches = new Set<WatchHandlers>()
  const gaps: (() => void)[] = []
  const failures: string[] = []
  const clock = {
    monotonicNs: () => 0,
    nowMs: () => 0,
    after: (_ms: number, task: () => void) => {
      due.push(task)
      return { cancel: () => {} }
    },
  } as Clock
  const owner = { key: KEYS.owner, value: ownerValue(OWNER), revision: 1 }
  const store: AgreementStore = {
    transact: () => {},
    range: (_reads, done) =>
      void reads.push((batches, revision = 1) =>
        done({ outcome: 'read', revision, reads: [[owner], [], batches] }),
      ),
    watch(_range, handlers) {
      watches.add(handlers)
      return { cancel: () => void watches.delete(handlers) }
    },
    compact: () => {},
    close: () => Promise.resolve(),
  }
  const follower = new Follower({
    store,
    keys: KEYS,
    clock,
    tail: new Tail(),
    lastSeq: 0,
    events: {
      apply: () => {},
      onOwner: () => {},
      onFloor: () => {},
      onGap: (_from, _until, done) => void gaps.push(done),
      onFailed: (reason) => void failures.push(reason),
    },
  })
  return { follower, due, reads, watches, gaps, failures }
}

test('a watch that ended and a catch-up that is done leave one watch', (t) => {
  const { follower, due, reads, watches, gaps, failures } = byHand()
  follower.start()
  reads.shift()?.([batch(1, 0)])
  t.equal(watches.size, 1)
  const [ended] = watches
  watches.clear()
  ended?.onCancelled('cut')
  t.equal(due.length, 1, 'it is begun again after a moment')
  follower.readEnd(() => {})
  reads.shift()?.([batch(3, 1)])
  for (const seq of [1, 2]) follower.fetched(seq, Buffer.from('x'))
  gaps.shift()?.()
  due.shift()?.()
  for (const answer of reads.splice(0)) answer([batch(3, 1)])
  t.equal(watches.size, 1)
  t.equal(follower.lastSeq, 3)
  t.equal(follower.current, true)
  t.same(failures, [])
  t.end()
})

test('a read that was overtaken by a later one is asked again', (t) => {
  const { follower, reads, watches, failures } = byHand()
  follower.start()
  follower.readEnd(() => {})
  const [first, ofTakeOver] = reads.splice(0)
  ofTakeOver?.([batch(1, 1), batch(2, 1)], 2)
  t.equal(follower.lastSeq, 2)
  first?.([batch(1, 1)], 1)
  t.same([watches.size, follower.current], [0, false], 'it lacks an entry that is applied')
  reads.shift()?.([batch(1, 1), batch(2, 1)], 2)
  t.same([watches.size, follower.current], [1, true])
  t.same(failures, [])
  t.end()
})

test('a store that went back is told, and not read for ever', (t) => {
  const { follower, reads, failures } = byHand()
  follower.start()
  reads.shift()?.([batch(1, 2)], 9)
  follower.readEnd(() => {})
  reads.shift()?.([], 9)
  follower.restart()
  reads.shift()?.([batch(1, 1)], 3)
  t.equal(reads.length, 0)
  t.match(failures, ['the store was lost or restored'])
  t.end()
})
