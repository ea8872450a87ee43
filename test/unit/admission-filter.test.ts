// A filter of recent names: it misses no recent name while it has capacity, and takes few other
// names for recent.

import { test } from 'tap'
import { AdmissionFilter } from '../../engine/memory/admission-filter.ts'
import { fc } from '../harness/properties.ts'

const NAMES = 16_384
const id = (number: number): string => 'card_01jd' + number.toString(36).padStart(9, '0')

test('a name is recognised from its second time on', (t) => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const seen = new AdmissionFilter(16)
      const first = seen.again(name)
      return !first && seen.again(name) && seen.again(name)
    }),
  )
  t.end()
})

test('names of one letter are distinguished', (t) => {
  const seen = new AdmissionFilter(16)
  t.same(
    ['a', 'b', 'a', 'b'].map((name) => seen.again(name)),
    [false, false, true, true],
  )
  t.end()
})

test('half as many names as the capacity are nearly all recognised, in any order', (t) => {
  const seen = new AdmissionFilter(NAMES)
  for (let number = 0; number < NAMES / 2; number++) seen.again(id(number))
  let again = 0
  for (let number = 0; number < NAMES / 2; number++) if (seen.again(id(number))) again += 1
  t.ok(again > 0.9 * (NAMES / 2), again + ' of ' + NAMES / 2)
  t.end()
})

test('many more names than the capacity push out earlier ones and cause few false hits', (t) => {
  const seen = new AdmissionFilter(NAMES)
  let again = 0
  for (let number = 0; number < 20 * NAMES; number++) if (seen.again(id(number))) again += 1
  t.ok(again < NAMES / 100, again + ' were taken for others')
  t.notOk(seen.again(id(0)), 'the first is forgotten')
  t.ok(seen.again(id(20 * NAMES - 1)), 'the last is not')
  t.end()
})
