import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { test } from 'tap'
import { Unanswered } from '../../engine/line/answer.ts'
import type { Pending } from '../../engine/line/line.ts'
import { fc } from '../harness/properties.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function decided(seq: number): Pending {
  return { seq } as Pending
}

test('messages leave in the order of the journal, each once, and none before its sync', (t) => {
  const move = fc.record({ add: fc.nat(3000), sync: fc.nat(3000) })
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 12 }), (moves) => {
      const unanswered = new Unanswered()
      let [added, left, synced] = [0, 0, 0]
      for (const { add, sync } of moves) {
        for (let more = 0; more < add; more++) unanswered.add(decided(++added))
        synced = Math.min(added, synced + sync)
        for (
          let next = unanswered.takeSynced(synced);
          next !== null;
          next = unanswered.takeSynced(synced)
        )
          if (next.seq !== ++left) throw new Error(next.seq + ' left instead of ' + left)
        if (left !== synced) throw new Error(left + ' left of ' + synced)
      }
    }),
    { numRuns: 50 },
  )
  t.end()
})

test('answered messages can be collected although others always wait', async (t) => {
  const unanswered = new Unanswered()
  const answered: WeakRef<Pending>[] = []
  for (let seq = 1; seq <= 3000; seq++) {
    unanswered.add(decided(seq))
    const oldest = unanswered.takeSynced(seq - 200)
    if (oldest !== null) answered.push(new WeakRef(oldest))
  }
  t.equal(answered.length, 2800)
  // A dereferenced WeakRef stays alive until the turn ends.
  await new Promise(setImmediate)
  collectGarbage()
  const kept = answered.filter((reference) => reference.deref() !== undefined)
  t.ok(kept.length < 10, kept.length + ' of ' + answered.length + ' are kept')
  t.equal(unanswered.takeSynced(3000)?.seq, 2801)
})
