import { test } from 'tap'
import { SecondChanceCache } from '../../engine/memory/second-chance-cache.ts'
import { fc } from '../harness/properties.ts'

/** One of this many newcomers looks for space. */
const NEWCOMERS = 8

function keep(kept: SecondChanceCache<number>, number: number): void {
  const name = 'n' + number
  kept.set(name, number)
  if (kept.get(name) === undefined) kept.set(name, number)
}

function those(kept: SecondChanceCache<number>, numbers: readonly number[]): number[] {
  return numbers.filter((number) => kept.get('n' + number) !== undefined)
}

test('a value used once is not kept, and a kept value can change after any number of others', (t) => {
  const kept = new SecondChanceCache<number>(2, 4)
  kept.set('a', 1)
  t.equal(kept.get('a'), undefined)
  kept.set('a', 1)
  for (let number = 0; number < 8; number++) kept.set('n' + number, number)
  kept.set('a', 2)
  t.equal(kept.get('a'), 2)
  kept.forget('a')
  t.equal(kept.get('a'), undefined)
  t.end()
})

test('a newcomer replaces an unused value, and only now and then', (t) => {
  const kept = new SecondChanceCache<number>(2, 64)
  kept.set('n1', 1)
  kept.set('n1', 1)
  kept.set('n2', 2)
  kept.set('n2', 2)
  kept.get('n2')
  const newcomers = Array.from({ length: 2 * NEWCOMERS }, (_, at) => 10 + at)
  for (const number of newcomers.slice(0, NEWCOMERS - 1)) {
    kept.set('n' + number, number)
    kept.set('n' + number, number)
  }
  t.same(those(kept, newcomers), [], 'there is no room')
  kept.set('n99', 99)
  kept.set('n99', 99)
  t.equal(kept.get('n99'), 99)
  t.equal(kept.get('n1'), undefined, 'nobody asked for it')
  t.equal(kept.get('n2'), 2)
  for (const number of newcomers.slice(NEWCOMERS)) {
    kept.set('n' + number, number)
    kept.set('n' + number, number)
  }
  t.same(those(kept, newcomers), [], 'both were asked for since')
  t.end()
})

test('a full cache keeps as many of the rotating names as it has space for', (t) => {
  const kept = new SecondChanceCache<number>(100, 1024)
  const numbers = Array.from({ length: 300 }, (_, at) => at)
  const turn = (): number => {
    const found = those(kept, numbers).length
    for (const number of numbers) kept.set('n' + number, number)
    return found
  }
  for (let round = 0; round < 3; round++) turn()
  const found = Array.from({ length: 20 }, turn)
  t.same(found, Array(20).fill(100))
  const others = numbers.map((number) => 1000 + number)
  for (let round = 0; round < 60; round++) for (const number of others) keep(kept, number)
  t.same(those(kept, numbers), [], 'others are asked for now')
  t.equal(those(kept, others).length, 100)
  t.end()
})

test('the cache never exceeds its size, and never returns an old value', (t) => {
  const step = fc.tuple(fc.constantFrom('get', 'set', 'forget'), fc.nat(20), fc.nat(1000))
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 400 }),
      (room, steps) => {
        const kept = new SecondChanceCache<number>(room, 8)
        const last = new Map<number, number>()
        for (const [what, number, value] of steps) {
          const name = 'n' + number
          if (what === 'set') {
            kept.set(name, value)
            last.set(number, value)
          } else if (what === 'forget') kept.forget(name)
          const found = kept.get(name)
          if (found !== undefined && (found !== last.get(number) || what === 'forget')) return false
        }
        return (
          those(
            kept,
            Array.from({ length: 21 }, (_, at) => at),
          ).length <= room
        )
      },
    ),
  )
  t.end()
})
