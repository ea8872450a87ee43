import { test } from 'tap'
import { sentTogether } from '../../api/database/sent-together.ts'

function later<Value>(value: Value, turns: number): Promise<Value> {
  return turns === 0
    ? Promise.resolve(value)
    : Promise.resolve().then(() => later(value, turns - 1))
}

async function failing(words: string, turns: number): Promise<never> {
  await later(null, turns)
  throw new Error(words)
}

test('results stand in the order given, whichever came first', async (t) => {
  t.same(await sentTogether([later('first', 5), later(2, 0), later(null, 3)]), ['first', 2, null])
})

test('the first rejection in the order given counts, whichever came first', async (t) => {
  const sent = [later(1, 9), failing('the cause', 5), failing('its consequence', 0)] as const
  await t.rejects(sentTogether(sent), { message: 'the cause' })
})

test('a rejection waits until the others have settled', async (t) => {
  let settled = false
  const slow = later(null, 9).then(() => {
    settled = true
  })
  await t.rejects(sentTogether([failing('at once', 0), slow]), { message: 'at once' })
  t.equal(settled, true)
})
