import { test } from 'tap'
import {
  EtcdLeader,
  type MaintenanceClient,
  type WireStatus,
} from '../../engine/agreement/etcd-leader.ts'
import type { Clock } from '../../shared/clock.ts'

/** Three nodes of which one says that it leads, and a clock that the test moves. */
function stand() {
  const state = { leads: '1', term: '7', nowMs: 1_000_000, asked: 0 }
  const timers = new Set<{ atMs: number; run: () => void }>()
  const clock = {
    nowMs: () => state.nowMs,
    after(ms: number, run: () => void) {
      const timer = { atMs: state.nowMs + ms, run }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
  } as Partial<Clock> as Clock
  const nodes = ['1', '2', '3'].map((id) => {
    const answer: WireStatus = {
      header: {
        member_id: id,
        get raft_term() {
          return state.term
        },
      },
      get leader() {
        return state.leads
      },
    }
    return {
      close: () => undefined,
      Status(_request: object, _options: object, done: (error: null, answer: WireStatus) => void) {
        state.asked += 1
        done(null, answer)
      },
    } as object as MaintenanceClient
  })
  const hints: number[] = []
  const leader = new EtcdLeader({ nodes, clock, onLeader: (place) => void hints.push(place) })
  return {
    ...{ state, leader, hints },
    pass(ms: number): void {
      state.nowMs += ms
      for (const timer of [...timers].filter(({ atMs }) => atMs <= state.nowMs)) {
        timers.delete(timer)
        timer.run()
      }
    },
  }
}

test('a leader that goes on failing calls is named again less and less often', (t) => {
  const { leader, hints, pass } = stand()
  t.same(hints, [0], 'asked at the start')
  const at: number[] = []
  for (let second = 1; second <= 600; second++) {
    const before = hints.length
    // Each hint brings the next call to the leader, which fails.
    leader.failed()
    pass(1000)
    if (hints.length > before) at.push(second)
  }
  t.ok(at.length <= 7, 'named ' + at.length + ' times in ten minutes')
  const waits = at.map((second, index) => second - (at[index - 1] ?? 0))
  t.ok(
    waits.every((wait, index) => index === 0 || wait >= (waits[index - 1] ?? 0)),
    waits.join(' '),
  )
  t.end()
})

test('an election is followed at once, and the waits begin anew', (t) => {
  const { state, leader, hints, pass } = stand()
  for (let second = 0; second < 60; second++) {
    leader.failed()
    pass(1000)
  }
  Object.assign(state, { leads: '3', term: '8' })
  leader.heard('8')
  t.equal(hints.at(-1), 2)
  const before = hints.length
  pass(1_000_000)
  leader.failed()
  pass(5000)
  t.ok(hints.length > before, 'five seconds after the next failure')
  t.end()
})
