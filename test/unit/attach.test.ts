// A member whose journal ends before what the database has drained, by what it is at that moment.
import { test } from 'tap'
import { attach } from '../../engine/attach.ts'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { systemClock } from '../../shared/clock.ts'

const DATABASE = 'database:1'

/** Attaches a database that has five entries to a journal that has none. */
async function attached(member: { role: 'follower' | 'owner'; committedSeq: number }) {
  const journal = new SimulatedLog({
    disk: simulatedDisk('J'),
    events: { onSynced: () => {}, onFailed: () => {} },
    clock: systemClock,
  })
  const readiness: { refused: string | null } = { refused: null }
  const answer = await attach(
    { database_id: DATABASE, journal: { journal_id: 'J', seq: 5 } },
    journal,
    readiness,
    {
      attachedTo: null,
      member,
      timeline: { problemOf: () => Promise.resolve(null), follow: () => Promise.resolve() },
    },
  )
  return { answer, ...readiness }
}

test('an owner without entries that the database has decides nothing', async (t) => {
  const { answer, refused } = await attached({ role: 'owner', committedSeq: 4 })
  t.match(answer, { attached: false, refused: /up to entry 5, .* copy ends at 0.*accept-loss J/ })
  t.equal(refused, answer.attached ? '' : answer.refused)
})

test('a follower that is behind, and an owner whose disk is, refuse for the moment', async (t) => {
  for (const member of [
    { role: 'follower', committedSeq: 0 },
    { role: 'owner', committedSeq: 5 },
  ] as const) {
    const { answer, refused } = await attached(member)
    t.match(answer, { attached: false, refused: 'This member is behind' })
    t.equal(refused, null, 'it goes on')
  }
})
