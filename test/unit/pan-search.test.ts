// Card numbers in text: numbers of the known ranges are found in any notation, and ordinary numbers
// hardly ever.
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { test } from 'tap'
import { newId } from '../../shared/id.ts'
import { withoutPans } from '../../shared/log.ts'
import { luhnDigit, newPan } from '../../shared/pan.ts'
import { cutPans, findPan } from '../../shared/pan-search.ts'
import { fc } from '../harness/properties.ts'

/** Published test numbers of each network, and one of ours. */
const NUMBERS = [
  '4111111111111111',
  '4222222222222',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '6011111111111117',
  '30569309025904',
  '36227206271667',
  '3530111333300000',
  '6205500000000000004',
  '6759649826438453',
  '50339619890917',
  '586824160825533338',
  '6799990100000000019',
  '2200000000000053',
  newPan(),
]

test('a card number is found in one piece, in groups, and within other text', (t) => {
  for (const number of NUMBERS) {
    const groups = number.match(/.{1,4}/g) ?? []
    const spaced = ['\u00a0', '\u2009', '\u202f', '\u2011', '\u2013'].map((by) => groups.join(by))
    const plain = [number, groups.join(' '), groups.join('-'), [...number].join(' ')]
    for (const written of [...plain, ...spaced]) {
      t.same(findPan(written), { from: 0, to: written.length }, written)
      t.equal(cutPans('a' + written + 'b, ' + written), 'a[pan]b, [pan]', written)
      t.equal(cutPans('no 12 ' + written + ' 123'), 'no 12 [pan] 123', written)
      t.notMatch(withoutPans('x' + written + 'x'), written, 'a log keeps none of it')
    }
    const last = Number(number.at(-1))
    const wrong = number.slice(0, -1) + ((last + 1) % 10)
    t.equal(findPan(wrong), null, 'another Luhn digit')
  }
  t.end()
})

test('a card number is found at each place of a text of any length', (t) => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.constantFrom(...NUMBERS), (before, after, number) => {
      const text = 'x'.repeat(before) + number + 'y'.repeat(after)
      const found = findPan(text)
      return found?.from === before && found.to === before + number.length
    }),
  )
  t.end()
})

test('ordinary numbers are not taken for card numbers', (t) => {
  const gtin = '4006381333931'
  const ordinary = [
    '+4915123456783',
    '+49 1512 3456 783',
    '1764009600000',
    '1764009600000000',
    '1764009600000000000',
    '2026-11-24T18:44:47.123456Z',
    '20261124184447',
    '411111111111',
    '445012345678901',
    gtin,
    '0.4111111111111111',
    '4111111111111111' + '11111',
    '550e8400-e29b-41d4-4111-111111111111',
    '0'.repeat(24) + 'a' + '4111111111111111',
    '4111  1111  1111  1111',
  ]
  for (const text of ordinary) t.equal(findPan(text), null, text)
  for (let index = 0; index < 2000; index++) {
    const digest = createHash('sha256').update(String(index)).digest('hex')
    for (const text of [randomUUID(), newId('card', Date.now()), digest])
      if (findPan(text) !== null) t.fail(text)
  }
  t.end()
})

test('fewer than 4 % of random 16-digit order numbers are taken for a card', (t) => {
  const COUNT = 50_000
  const share = (make: () => string): number => {
    let found = 0
    for (let index = 0; index < COUNT; index++) if (findPan(make()) !== null) found += 1
    return found / COUNT
  }
  const digits = (count: number) => () =>
    Array.from({ length: count }, () => randomInt(10)).join('')
  const sixteen = share(digits(16))
  const twelve = share(digits(12))
  const dated = share(() => '2026' + digits(12)())
  t.comment('taken for a card', { sixteen, twelve, dated })
  // A tenth of the 35 in 100 that begin like a card; five standard deviations of the measure are
  // less than half a hundredth.
  t.ok(sixteen < 0.04)
  t.equal(twelve, 0)
  t.equal(dated, 0)
  const tail = digits(14)
  t.equal(
    share(() => '98' + tail()),
    0,
    'no network begins with 98; our own numbers begin with 999999',
  )
  t.equal(luhnDigit('411111111111111'), 1)
  t.end()
})
