// The floor of confirmed config records in exact situations that random worlds seldom meet.
import { test } from 'tap'
import { shardKeys } from '../../engine/agreement/keys.ts'
import {
  foundTransaction,
  type Owner,
  ownerValue,
  PROTOCOL,
} from '../../engine/agreement/protocol.ts'
import { SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { Floor } from '../../engine/ownership/floor.ts'
import type { Clock } from '../../shared/clock.ts'
import { TimerHeap } from '../simulation/timer-heap.ts'

const KEYS = shardKeys('test', 'one')
const MINE: Owner = { epoch: 1, memberId: 'mem_a' }
const NEXT: Owner = { epoch: 2, memberId: 'mem_b' }

class Stage {
  readonly #timers = new TimerHeap()
  #nowMs = 0
  late = false
  readonly clock: Clock = {
    nowMs: () => this.#nowMs,
    monotonicNs: () => this.#nowMs * 1e6,
    after: (delayMs, task) => this.#timers.add(this.#nowMs + delayMs, task),
  }
  readonly store = new SimulatedStore({
    clock: this.clock,
    delayMs: () => 1,
    lateMs: () => 1000,
    fate: () => (this.late ? 'late' : 'answered'),
  })
  readonly client: AgreementStore = this.store.client('mem_a')

  constructor() {
    this.store.apply(foundTransaction(KEYS, { journalId: 'jrn_x', lastSeq: 0 }))
    this.ownedBy(MINE)
  }

  ownedBy(owner: Owner): void {
    const put = { write: 'put' as const, key: KEYS.owner, value: ownerValue(owner) }
    this.store.apply({ compares: [], writes: [put], otherwise: [] })
  }

  advance(ms: number): void {
    const until = this.#nowMs + ms
    for (;;) {
      const next = this.#timers.takeBefore(until)
      if (next === null) break
      this.#nowMs = next.atMs
      next.task()
    }
    this.#nowMs = until
  }

  get floor(): string | undefined {
    return this.store.rows.get(KEYS.floor)?.value.toString()
  }

  member(covers = true): { floor: Floor; raise(cursor: string): boolean[] } {
    const floor = new Floor({
      store: this.client,
      keys: KEYS,
      clock: this.clock,
      covers: () => covers,
    })
    floor.own(MINE)
    const raise = (cursor: string): boolean[] => {
      const told: boolean[] = []
      floor.raise(cursor, (raised) => told.push(raised))
      return told
    }
    return { floor, raise }
  }
}

test('an old owner confirms nothing', (t) => {
  const stage = new Stage()
  const { raise } = stage.member()
  const first = raise('1')
  stage.advance(10)
  t.same([first, stage.floor], [[true], '1'])
  stage.ownedBy(NEXT)
  const second = raise('2')
  stage.advance(10)
  t.same([second, stage.floor], [[false], '1'])
  t.end()
})

test('a confirmation waits for its transaction, and callers share one', (t) => {
  const stage = new Stage()
  const { raise } = stage.member()
  const before = stage.store.revision
  const told = [raise('1'), raise('2'), raise('3')]
  t.same(told, [[], [], []])
  stage.advance(20)
  t.same(told, [[true], [true], [true]])
  t.same([stage.floor, stage.store.revision - before], ['3', 2])
  t.end()
})

test('a try that was delayed does not lower the floor', (t) => {
  const stage = new Stage()
  const { raise } = stage.member()
  stage.late = true
  const first = raise('1')
  stage.advance(1)
  stage.late = false
  stage.advance(500)
  t.same(first, [true], 'the repeated transaction confirms')
  const second = raise('2')
  stage.advance(10)
  t.same([second, stage.floor], [[true], '2'])
  stage.advance(2000)
  t.equal(stage.floor, '2', 'the first try was applied meanwhile and failed')
  t.end()
})

test('a member that lacks confirmed records does not lower the floor', (t) => {
  const stage = new Stage()
  const { floor, raise } = stage.member(false)
  floor.heard('5')
  t.equal(floor.missing, true)
  t.same(raise('4'), [false])
  stage.advance(10)
  t.equal(stage.floor, undefined)
  t.end()
})

test('a take-over fails where the floor was raised after it was read', (t) => {
  const stage = new Stage()
  const attempt = (floor: string | null) =>
    stage.store.apply(PROTOCOL.takeOver(KEYS, { seen: MINE, mine: NEXT, nextSeq: 1, floor }))
      .outcome
  const { raise } = stage.member()
  raise('1')
  stage.advance(10)
  t.equal(attempt(null), 'failed')
  raise('2')
  stage.advance(10)
  t.equal(attempt('1'), 'failed')
  t.equal(attempt('2'), 'succeeded')
  t.end()
})
