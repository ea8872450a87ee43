// Messages of the ISO 8583 dialect for properties: any type, any fields, every value one its field
// takes.

import type { IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import type { Content } from '../../shared/wire/iso8583/content.ts'
import * as content from '../../shared/wire/iso8583/content.ts'
import { FIELDS, type Field, type Fields, MESSAGE_TYPES } from '../../shared/wire/iso8583/fields.ts'
import { fc } from './properties.ts'

const DIGITS = [...'0123456789']
const LETTERS = [...'ABCXYZabcxyz']
/** The special characters that the independent reader accepts. */
const SPECIALS = [..."!$%^&*()_+|~=`{}[]:;'<>?,./-"]

function textOf(characters: readonly string[]) {
  return (least: number, most: number) =>
    fc
      .array(fc.constantFrom(...characters), { minLength: least, maxLength: most, size: 'max' })
      .map((parts) => parts.join(''))
}

function number(low: number, high: number): fc.Arbitrary<string> {
  return fc.integer({ min: low, max: high }).map((value) => String(value).padStart(2, '0'))
}

const digits = (count: number) => textOf(DIGITS)(count, count)
const joined = (...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((texts) => texts.join(''))
const sign = fc.constantFrom('C', 'D')
const time = joined(number(0, 23), number(0, 59), number(0, 59))
const monthDay = joined(number(1, 12), number(1, 28))
const fee = fc.oneof(joined(sign, digits(8)), fc.constant('000000000'))

const VALUES = new Map<Content, (least: number, most: number) => fc.Arbitrary<string>>([
  [content.N, textOf(DIGITS)],
  [content.AN, textOf([...DIGITS, ...LETTERS])],
  [content.ANP, textOf([...DIGITS, ...LETTERS, ' '])],
  [content.ANS, textOf([...DIGITS, ...LETTERS, ...SPECIALS, ' '])],
  [content.SIGNED, (least) => joined(sign, digits(least - 1))],
  [content.MONTH_DAY, () => monthDay],
  [content.TIME, () => time],
  [content.MOMENT, () => joined(monthDay, time)],
  [content.YEAR_MONTH, () => joined(digits(2), number(1, 12))],
  [content.RATE, () => joined(fc.constantFrom(...'01234567'), digits(7))],
  [
    content.ADDITIONAL_AMOUNTS,
    () =>
      fc
        .array(joined(digits(7), sign, digits(12)), { minLength: 1, maxLength: 6 })
        .map((parts) => parts.join('')),
  ],
  [content.TRACK_2, () => joined(digits(16), fc.constantFrom('=', 'D'), digits(4), digits(13))],
  [content.ORIGINAL_DATA, () => joined(digits(10), monthDay, time, digits(22))],
  [content.REPLACEMENT_AMOUNTS, () => joined(digits(24), fee, fee)],
])

/** Chip data of up to nine primitive elements, some of them inside a template. */
const chipData = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(0x82, 0x95, 0x5f2a), fc.uint8Array({ maxLength: 8 })), {
      minLength: 1,
      maxLength: 9,
    }),
    fc.boolean(),
  )
  .map(([elements, wrapped]) => {
    const plain = Buffer.concat(
      elements.map(([tag, value]) =>
        Buffer.concat([
          Buffer.from(tag > 255 ? [tag >> 8, tag & 255, value.length] : [tag, value.length]),
          value,
        ]),
      ),
    )
    return wrapped ? Buffer.concat([Buffer.from([0x70, plain.length]), plain]) : plain
  })

function valueFor(number: number, field: Field): fc.Arbitrary<string | Buffer> {
  if (field.kind === 'text') return VALUES.get(field.content)!(field.bytesMin, field.bytesMax)
  if (number === 55) return chipData
  return fc
    .uint8Array({ minLength: field.bytesMin, maxLength: field.bytesMax })
    .map((bytes) => Buffer.from(bytes))
}

/** Any message the dialect can say; `without` leaves fields out that another reader cannot take. */
export function anyMessage(without: readonly number[] = []): fc.Arbitrary<IsoMessage> {
  const rows = Object.entries(FIELDS)
    .map(([key, field]) => [Number(key), field] as const)
    .filter(([number]) => !without.includes(number))
  const values = Object.fromEntries(
    rows.map(([number, field]) => [number, fc.option(valueFor(number, field), { nil: undefined })]),
  )
  return fc
    .record({ mti: fc.constantFrom(...MESSAGE_TYPES), values: fc.record(values) })
    .map(({ mti, values }) => ({
      mti,
      fields: Object.fromEntries(
        Object.entries(values).filter(([, value]) => value !== undefined),
      ) as Fields,
    }))
}

/** An authorization as an acquirer sends it, for tests that change one thing. */
export const PURCHASE: IsoMessage = {
  mti: '0100',
  fields: {
    2: '9999990000000000',
    3: '000000',
    4: '000000001250',
    7: '1120100000',
    11: '000001',
    12: '110000',
    13: '1120',
    14: '3412',
    18: '5411',
    22: '051',
    25: '00',
    32: '12345678901',
    37: '632510000001',
    41: 'TERM0001',
    42: 'MERCHANT0000001',
    43: 'Shop                     Portland     US',
    49: '840',
    52: Buffer.from('0123456789abcdef', 'hex'),
    55: Buffer.from('9505000000800082021980', 'hex'),
    63: 'ntx-1',
    90: '0100' + '000001' + '1120100000' + '12345678901' + '00000000000',
  },
}
