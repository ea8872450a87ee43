// Which names came lately: none that did is missed while there is room, and few that did not are
// taken for one that did.
import fc from 'fast-check'
import { test } from 'tap'
import { AdmissionFilter } from '../../engine/admission-filter.ts'

const NAMES = 16_384
const id = (number: number): string => 'card_01jd' + number.toString(36).padStart(9, '0')

test('a name is seen again from its second time on, whatever it is', (t) => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      const seen = new AdmissionFilter(16)
      const first = seen.again(name)
      return !first && seen.again(name) && seen.again(name)
    }),
  )
  t.end()
})

test('names of one letter are told apart', (t) => {
  const seen = new AdmissionFilter(16)
  t.same(
    ['a', 'b', 'a', 'b'].map((name) => seen.again(name)),
    [false, false, true, true],
  )
  t.end()
})

test('with half as many names as it remembers nearly all are seen again, in whatever order they come round', (t) => {
  const seen = new AdmissionFilter(NAMES)
  for (let number = 0; number < NAMES / 2; number++) seen.again(id(number))
  let again = 0
  for (let number = 0; number < NAMES / 2; number++) if (seen.again(id(number))) again += 1
  t.ok(again > 0.9 * (NAMES / 2), again + ' of ' + NAMES / 2)
  t.end()
})

test('with many more names it forgets the earlier ones, and takes next to none for another', (t) => {
  const seen = new AdmissionFilter(NAMES)
  let again = 0
  for (let number = 0; number < 20 * NAMES; number++) if (seen.again(id(number))) again += 1
  t.ok(again < NAMES / 100, again + ' were taken for others')
  t.notOk(seen.again(id(0)), 'the first is forgotten')
  t.ok(seen.again(id(20 * NAMES - 1)), 'the last is not')
  t.end()
})
