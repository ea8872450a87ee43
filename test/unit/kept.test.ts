// The cache of expensive results.
import { test } from 'tap'
import { openKept } from '../../api/passes/wallets/kept.ts'

test('a value is made once for all concurrent callers, and anew for another version', async (t) => {
  const kept = openKept<string>(100, ({ length }) => length)
  const made: string[] = []
  const get = (name: string, version = '') =>
    kept.get(name, version, async () => {
      made.push(name + version)
      return (name + version).repeat(10)
    })
  t.same(await Promise.all([get('a'), get('a')]), ['a'.repeat(10), 'a'.repeat(10)])
  t.equal(await get('a', '2'), 'a2'.repeat(10))
  await get('a', '2')
  t.same(made, ['a', 'a2'])
})

test('the oldest value is evicted first, and only as many as space requires', async (t) => {
  const kept = openKept<string>(30, ({ length }) => length)
  let made = 0
  const get = (name: string) =>
    kept.get(name, '', async () => {
      made += 1
      return 'x'.repeat(10)
    })
  for (const name of ['a', 'b', 'c', 'd']) await get(name)
  for (const name of ['b', 'c', 'd']) await get(name)
  t.equal(made, 4, 'three are kept')
  await get('a')
  t.equal(made, 5)
  const large = openKept<string>(5, ({ length }) => length)
  t.equal(
    await large.get('a', '', async () => 'xxxxxxxxxx'),
    'xxxxxxxxxx',
    'it is given all the same',
  )
})

test('a failure is not cached', async (t) => {
  const kept = openKept<string>(30, ({ length }) => length)
  await t.rejects(
    kept.get('a', '', () => Promise.reject(new Error('no'))),
    /no/,
  )
  t.equal(await kept.get('a', '', async () => 'yes'), 'yes')
})
