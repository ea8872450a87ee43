import { test } from 'tap'
import {
  DatabaseSilent,
  DatabaseWatchdog,
  type Wait,
} from '../../api/database/database-watchdog.ts'
import type { Clock } from '../../shared/clock.ts'

/** A watchdog whose beats the test makes, over a database that answers when the test says. */
function byHand(): {
  pulse: DatabaseWatchdog
  beats(count: number): Promise<void>
  asked: PromiseWithResolvers<boolean>[]
  timers: () => number
} {
  let due: (() => void)[] = []
  const asked: PromiseWithResolvers<boolean>[] = []
  const clock = {
    after: (_ms: number, task: () => void) => {
      due.push(task)
      return { cancel: () => {} }
    },
  } as unknown as Clock
  const ask = (): Promise<boolean> => {
    const question = Promise.withResolvers<boolean>()
    asked.push(question)
    return question.promise
  }
  return {
    pulse: new DatabaseWatchdog({ clock, ask }),
    asked,
    timers: () => due.length,
    async beats(count) {
      for (let done = 0; done < count; done++) {
        const now = due
        due = []
        for (const task of now) task()
        await turn()
      }
    },
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Work that never ends, with the outcome for its caller. */
function hanging(pulse: DatabaseWatchdog): { wait: Wait; outcome: () => unknown } {
  let wait: Wait | null = null
  let outcome: unknown = 'waits'
  const never = (given: Wait): Promise<string> => {
    wait = given
    return new Promise(() => {})
  }
  pulse.within(never).catch((error: unknown) => {
    outcome = error
  })
  return { wait: wait as unknown as Wait, outcome: () => outcome }
}

test('work that returns or throws is passed on, and the watchdog rests without callers', async (t) => {
  const { pulse, beats, asked, timers } = byHand()
  t.equal(await pulse.within(async () => 7), 7)
  await t.rejects(
    pulse.within(async () => {
      throw new Error('mine')
    }),
    { message: 'mine' },
  )
  await beats(20)
  t.equal(asked.length, 0)
  t.equal(timers(), 0)
})

test('a caller of a slow database waits on as long as the database answers checks', async (t) => {
  const { pulse, beats, asked } = byHand()
  const { wait, outcome } = hanging(pulse)
  await beats(3)
  t.equal(asked.length, 0, 'nobody is asked at once')
  for (let round = 0; round < 5; round++) {
    await beats(4)
    t.equal(asked.length, round + 1, 'once a second')
    asked.at(-1)?.resolve(true)
    await turn()
  }
  t.equal(outcome(), 'waits')
  t.equal(wait.over, false)
})

test('a silent database fails old callers, and new ones after a second', async (t) => {
  const { pulse, beats, asked } = byHand()
  const first = hanging(pulse)
  await beats(4)
  t.equal(asked.length, 1)
  await beats(3)
  const second = hanging(pulse)
  await beats(2)
  t.equal(first.outcome(), 'waits')
  await beats(1)
  t.match(first.outcome(), { code: 'DATABASE_SILENT', inDoubt: false })
  t.ok(first.outcome() instanceof DatabaseSilent)
  t.equal(first.wait.over, true)
  t.equal(second.outcome(), 'waits', 'not before its second')
  second.wait.committing = true
  await beats(1)
  t.match(second.outcome(), { code: 'DATABASE_SILENT', inDoubt: true })

  const third = hanging(pulse)
  asked[0]?.resolve(false)
  await beats(3)
  t.equal(third.outcome(), 'waits')
  await beats(1)
  t.match(third.outcome(), { code: 'DATABASE_SILENT' }, 'nothing was heard meanwhile')
})

test('any answer of the database ends the silence, an error too', async (t) => {
  for (const answer of ['spoke', 'refused'] as const) {
    const { pulse, beats, asked } = byHand()
    const { outcome } = hanging(pulse)
    await beats(9)
    if (answer === 'spoke') asked[0]?.resolve(true)
    else asked[0]?.reject(new Error('too many clients'))
    await turn()
    await beats(5)
    t.equal(outcome(), 'waits')
    t.equal(asked.length, 2, 'and it is asked again')
    await beats(6)
    t.match(outcome(), { code: 'DATABASE_SILENT' })
  }
})
