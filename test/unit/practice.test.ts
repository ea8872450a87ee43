import { test } from 'tap'
import { Practice } from '../../engine/member/practice.ts'
import type { Clock } from '../../shared/clock.ts'
import { LineRig } from '../harness/line-rig.ts'

/** A clock whose timers run when the test says. */
function handClock(): { clock: Clock; run(): boolean } {
  const timers: (() => void)[] = []
  let ns = 0
  const clock: Clock = {
    nowMs: () => 0,
    monotonicNs: () => {
      ns += 1000
      return ns
    },
    after(_delayMs, task) {
      timers.push(task)
      return { cancel: () => void timers.splice(timers.indexOf(task), 1) }
    },
  }
  return {
    clock,
    run() {
      const task = timers.shift()
      task?.()
      return task !== undefined
    },
  }
}

test('a follower practises on cards that it followed, and leaves nothing behind', (t) => {
  const rig = new LineRig()
  rig.send('authorization')
  const { clock, run } = handClock()
  const practice = new Practice(clock)
  const seen = () => ({
    seq: rig.log.lastSeq,
    recalled: rig.state.recall.size,
    used: rig.used(),
    asked: rig.questions.length,
  })
  const before = seen()
  practice.begin(rig.line)
  for (let slice = 0; slice < 5; slice++) run()
  t.equal(practice.decided, 0, 'without a card there is nothing to practise on')
  practice.heard(rig.lastDecision())
  for (let slice = 0; slice < 50; slice++) run()
  t.ok(practice.decided > 500, practice.decided + ' messages were decided')
  t.same(seen(), before)
  practice.stop()
  t.notOk(run(), 'nothing follows once it is stopped')
  t.end()
})
