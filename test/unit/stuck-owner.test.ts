// An owner that lives and cannot commit: its followers find out whether the store is at fault.
import { type Test, test } from 'tap'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { foundTransaction, ownerValue } from '../../engine/agreement/protocol.ts'
import { type Fate, SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { Clock } from '../../shared/clock.ts'
import { SimulatedMember } from '../simulation/cluster-member.ts'
import { Random } from '../simulation/random.ts'
import { SimulatedConfig } from '../simulation/simulated-config.ts'
import { TimerHeap } from '../simulation/timer-heap.ts'

const KEYS = shardKeys('sim', 'one')
const JOURNAL = 'jrn_' + '0'.repeat(26)
const OWNER = { epoch: 1, memberId: 'mem_owner' }
const BEAT_MS = 50

/** A follower of an owner whose transaction has been in flight for `stuckMs`. */
class Stage {
  fate: Fate = 'answered'
  isStuck = false
  readonly member: SimulatedMember
  readonly #timers = new TimerHeap()
  #nowMs = Date.UTC(2027, 0, 1)
  #stuckMs = 0

  constructor(t: Test) {
    const clock: Clock = {
      nowMs: () => this.#nowMs,
      monotonicNs: () => this.#nowMs * 1e6,
      after: (delayMs, task) => this.#timers.add(this.#nowMs + delayMs, task),
    }
    const store = new SimulatedStore({
      clock,
      delayMs: () => 1,
      lateMs: () => 1000,
      fate: () => this.fate,
    })
    store.apply(foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
    const put = { write: 'put' as const, key: KEYS.owner, value: ownerValue(OWNER) }
    store.apply({ compares: [], writes: [put], otherwise: [] })
    this.member = new SimulatedMember(0, {
      ...{ random: new Random(1), keys: KEYS, shard: null, clock, planted: {} },
      newConfig: () => new SimulatedConfig(),
      faults: () => false,
      storeOf: (memberId) => store.client(memberId),
      violated: (sentence) => t.fail(sentence),
      lost: (_, reason) => t.fail(reason),
      owned: () => {},
      appended: () => {},
      synced: () => {},
      reported: () => {},
      gap: () => t.fail('no entry is missing'),
    })
    this.member.start()
    this.pass(3000)
  }

  pass(ms: number): void {
    for (const until = this.#nowMs + ms; this.#nowMs < until; ) {
      this.#stuckMs = this.isStuck ? this.#stuckMs + BEAT_MS : 0
      const { epoch } = OWNER
      this.member.ownership.beat({ epoch, committedSeq: 0, stuckMs: this.#stuckMs })
      this.#advance(BEAT_MS)
    }
  }

  #advance(ms: number): void {
    const until = this.#nowMs + ms
    for (let next = this.#timers.takeBefore(until); next !== null; ) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.task()
      next = this.#timers.takeBefore(until)
    }
    this.#nowMs = until
  }
}

test('an owner stays while the store takes nothing from anybody, and just after', (t) => {
  const stage = new Stage(t)
  stage.isStuck = true
  stage.fate = 'lost'
  stage.pass(2000)
  stage.fate = 'answered'
  stage.pass(300)
  stage.isStuck = false
  stage.pass(3000)
  t.equal(stage.member.owns, false)
  t.equal(stage.member.ownership.cause, null, 'no take-over was begun')
  t.end()
})

test('an owner that alone cannot commit is replaced', (t) => {
  const stage = new Stage(t)
  stage.isStuck = true
  stage.pass(500)
  t.equal(stage.member.owns, false)
  stage.pass(300)
  t.equal(stage.member.owns, true)
  t.equal(stage.member.ownership.cause, 'stuck')
  t.end()
})
