import { test } from 'tap'
import { asksTenant, evenSchedule } from '../../scripts/simulate/schedule.ts'
import { fc } from '../harness/properties.ts'

const SECOND_NS = 1e9

test('exactly the messages whose time has come are due, at any rate and moment', (t) => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 100_000, noNaN: true }),
      fc.integer({ min: 0, max: 20 * SECOND_NS }),
      (ratePerS, elapsedNs) => {
        const schedule = evenSchedule({ ratePerS, seconds: 10 })
        const due = schedule.dueBy(elapsedNs)
        const lastIsDue = due === 0 || schedule.intendedNs(due - 1) <= elapsedNs
        const nextIsNot = due === schedule.count || schedule.intendedNs(due) > elapsedNs
        return due <= schedule.count && lastIsDue && nextIsNot
      },
    ),
  )
  t.end()
})

test('a stalled simulator still has to send every message of the stall', (t) => {
  const schedule = evenSchedule({ ratePerS: 1000, seconds: 2 })
  t.equal(schedule.count, 2000)
  t.equal(schedule.dueBy(0), 1)
  t.equal(schedule.dueBy(0.5 * SECOND_NS), 501)
  t.equal(schedule.dueBy(60 * SECOND_NS), 2000)
  t.equal(schedule.dueBy(-1), 0)
  t.end()
})

test('the share of messages that ask a tenant is exact over the run', (t) => {
  for (const [share, expected] of [
    [0, 0],
    [0.1, 100],
    [0.5, 500],
    [1, 1000],
  ] as const) {
    const asking = Array.from({ length: 1000 }, (_, index) => asksTenant(index, share))
    t.equal(asking.filter(Boolean).length, expected)
  }
  t.end()
})
