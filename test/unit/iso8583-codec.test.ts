import { test } from 'tap'
import { decodeMessage, encodeMessage } from '../../shared/wire/iso8583/codec.ts'
import {
  FIELD_ROWS,
  FIELDS,
  type Fields,
  MESSAGE_BYTES_MAX,
  PASSED_OVER,
} from '../../shared/wire/iso8583/fields.ts'
import { anyMessage, PURCHASE } from '../harness/iso-messages.ts'
import { fc } from '../harness/properties.ts'

const RUNS = 300

function bytesOf(fields: Fields, mti = PURCHASE.mti): Buffer {
  const bytes = encodeMessage({ mti, fields })
  if (!Buffer.isBuffer(bytes)) throw new Error(bytes.field + ' ' + bytes.reason)
  return bytes
}

/**
 * MTI, a bitmap of the given numbers, and any bytes after it: messages the encoder would not make.
 */
function raw(numbers: readonly number[], rest: string | Buffer, mti = '0100'): Buffer {
  const bitmap = Buffer.alloc(numbers.some((number) => number > 64 || number === 1) ? 16 : 8)
  for (const number of [...numbers, ...(bitmap.length > 8 ? [1] : [])]) {
    bitmap[(number - 1) >> 3]! |= 0x80 >> ((number - 1) & 7)
  }
  return Buffer.concat([Buffer.from(mti), bitmap, Buffer.from(rest as string, 'latin1')])
}

/**
 * True for a format error, or a message that encodes to these bytes; only an empty second bitmap
 * may be dropped.
 */
function refusedOrCanonical(given: Buffer): boolean {
  const decoded = decodeMessage(given)
  if ('reason' in decoded) {
    return decoded.field === null || (decoded.field >= 0 && decoded.field <= 128)
  }
  if (passesOver(given)) return true
  const again = bytesOf(decoded.fields, decoded.mti)
  const secondSpared = (given[4]! & 0x80) !== 0 && (again[4]! & 0x80) === 0
  return secondSpared || again.equals(given)
}

/** True if a bitmap names a field whose value is not kept. */
function passesOver(given: Buffer): boolean {
  const bits = (given[4]! & 0x80) === 0 ? 64 : 128
  return Object.keys(PASSED_OVER).some((key) => {
    const bit = Number(key) - 1
    return bit < bits && (given[4 + (bit >> 3)]! & (0x80 >> (bit & 7))) !== 0
  })
}

test('an encoded message decodes to the same message, with any fields', (t) => {
  fc.assert(
    fc.property(anyMessage(), (message) => {
      const bytes = encodeMessage(message)
      t.ok(Buffer.isBuffer(bytes) && bytes.length <= MESSAGE_BYTES_MAX)
      t.same(decodeMessage(bytes as Buffer), message)
    }),
    { numRuns: RUNS },
  )
  t.end()
})

test('a message cut anywhere, or with a byte too many, is a format error', (t) => {
  const bytes = bytesOf(PURCHASE.fields)
  for (let length = 0; length < bytes.length; length++) {
    const decoded = decodeMessage(bytes.subarray(0, length))
    t.ok('reason' in decoded, 'cut to ' + length)
  }
  t.match(decodeMessage(Buffer.concat([bytes, Buffer.from('0')])), {
    field: null,
    reason: 'bytes behind the last field',
    mti: '0100',
  })
  t.match(decodeMessage(raw([11], '00000110')), { field: null }, 'a field without its bit')
  t.match(decodeMessage(raw([11, 39], '000001')), { field: 39 }, 'a bit without its field')
  t.end()
})

test('no bytes break the decoder, and accepted bytes equal those the encoder writes', (t) => {
  const bytes = bytesOf(PURCHASE.fields)
  const mutation = fc.record({
    at: fc.nat(bytes.length - 1),
    by: fc.constantFrom('set', 'cut', 'insert', 'bit'),
    value: fc.nat(255),
  })
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      let mutated = Buffer.from(bytes)
      for (const { at, by, value } of mutations) {
        const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)]
        if (by === 'cut') mutated = Buffer.concat([before, after.subarray(value & 7)])
        else if (by === 'insert') mutated = Buffer.concat([before, Buffer.from([value]), after])
        else if (at < mutated.length) mutated[at]! ^= by === 'bit' ? 1 << (value & 7) : value
      }
      return refusedOrCanonical(mutated)
    }),
    { numRuns: 5000 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) =>
      refusedOrCanonical(Buffer.concat([Buffer.from('0100'), noise])),
    ),
    { numRuns: 2000 },
  )
  t.end()
})

test('an unknown message type is reported, and nothing else is read', (t) => {
  for (const mti of ['0000', '0200', '0102', '1100', '01', '', '010x', '٠١٠٠']) {
    t.same(decodeMessage(raw([11], '000001', mti)), {
      field: 0,
      reason: 'is no message type of ours',
      mti: null,
      fields: {},
    })
  }
  t.end()
})

const NO_NUMBER = 'has a length that is no number'
const BAD: readonly [what: string, bytes: Buffer, field: number, reason?: string][] = [
  ['no bitmap', Buffer.from('0100'), 1, 'is cut'],
  ['half a bitmap', Buffer.from('0100\0\0\0'), 1, 'is cut'],
  ['a second bitmap announced and cut', raw([1], '').subarray(0, 15), 1, 'is cut'],
  ['a field that is passed over and cut', raw([8], '0000000'), 8, 'is cut'],
  ['a track 2 without a separator', raw([35], '169999990000000000'), 35, 'must be track 2'],
  ['LLVAR longer than the rest', raw([2], '16999999'), 2, 'is cut'],
  ['LLVAR with letters for a length', raw([2], '1x9999990000000000'), 2, NO_NUMBER],
  ['LLVAR with a sign for a length', raw([2], '+69999990000000000'), 2, NO_NUMBER],
  ['LLVAR with half a length', raw([32], '1'), 32, 'is cut'],
  ['LLVAR of 00', raw([2], '00'), 2, 'must have a length from 12 to 19'],
  ['LLVAR of 99', raw([2], '99' + '9'.repeat(99)), 2, 'must have a length from 12 to 19'],
  ['LLLVAR of 000', raw([48], '000'), 48],
  ['a PAN of 8 digits', raw([2], '0899999900'), 2],
  ['a PAN of 20 digits', raw([2], '20' + '9'.repeat(20)), 2],
  ['a PAN with a letter', raw([2], '16999999000000000O'), 2, 'must be digits'],
  ['an amount of -1', raw([4], '-00000000001'), 4, 'must be digits'],
  ['an amount in letters', raw([4], 'twelve euros'), 4, 'must be digits'],
  ['an amount of 11 digits', raw([4], '99999999999'), 4, 'is cut'],
  ['month 13', raw([7], '1320100000'), 7, 'must be MMDDhhmmss'],
  ['month 0', raw([7], '0020100000'), 7],
  ['30 February', raw([7], '0230100000'), 7],
  ['hour 24', raw([7], '1120240000'), 7],
  ['second 60', raw([7], '1120100060'), 7],
  ['a local time of 2460', raw([12], '236000'), 12, 'must be hhmmss'],
  ['a local date of 31 April', raw([13], '0431'), 13, 'must be MMDD'],
  ['an expiry in month 0', raw([14], '3400'), 14, 'must be YYMM'],
  ['a rate with 8 decimals', raw([10], '81234567'), 10, 'must be a conversion rate'],
  ['a fee without its sign', raw([28], '000000100'), 28, 'must be C or D and digits'],
  ['a terminal with a line break', raw([41], 'TERM\n001'), 41, 'must be printable ASCII'],
  ['a name beyond ASCII', raw([42], 'Caf\xe9           '), 42, 'must be printable ASCII'],
  ['additional amounts cut in one', raw([54], '0210002840C00000000010'), 54],
  ['chip data longer than the rest of it', raw([55], '003\x95\x05\0'), 55, 'must be BER-TLV'],
  ['chip data without an end', raw([55], '004\x70\x80\0\0'), 55, 'must be BER-TLV'],
  ['an original that cannot have been', raw([90], '0'.repeat(42)), 90],
  ['replacement amounts in letters', raw([95], 'A'.repeat(42)), 95, 'must be replacement amounts'],
]

for (const [what, bytes, field, reason] of BAD) {
  test(what + ' is a format error of field ' + field, (t) => {
    t.match(decodeMessage(bytes), { field, mti: '0100', ...(reason && { reason }) })
    t.end()
  })
}

test('templates nested as deep as the field is long are refused; a few levels are accepted', (t) => {
  const nested = (depth: number): Buffer => {
    let bytes = Buffer.from([0x82, 0])
    for (let level = 0; level < depth && bytes.length < 250; level++) {
      const length = bytes.length < 128 ? [bytes.length] : [0x81, bytes.length]
      bytes = Buffer.concat([Buffer.from([0x70, ...length]), bytes])
    }
    const digits = String(bytes.length).padStart(3, '0')
    return Buffer.concat([raw([55], digits), bytes])
  }
  t.match(decodeMessage(nested(1000)), { field: 55, reason: 'must be BER-TLV' })
  t.match(decodeMessage(nested(5)), { field: 55 })
  t.notOk('reason' in decodeMessage(nested(4)))
  t.end()
})

test('each field of the standard is read or skipped, and a skipped value is not kept', (t) => {
  for (let number = 2; number <= 128; number++) {
    const field = FIELD_ROWS[number]
    if (field === undefined) throw new Error('no field ' + number)
    if (field.kind !== 'passed over') continue
    const length =
      field.lengthDigits === 0 ? '' : String(field.bytesMax).padStart(field.lengthDigits, '0')
    const rest = number === 127 ? [127] : [number, 128]
    const bytes = raw(rest, length + '\xff'.repeat(field.bytesMax) + 'authcode')
    const fields = number === 127 ? {} : { 128: Buffer.from('authcode') }
    t.same(decodeMessage(bytes), { mti: '0100', fields }, String(number))
    t.match(encodeMessage({ mti: '0100', fields: { [number]: 'x' } as Fields }), { field: number })
  }
  t.end()
})

test('the first of two wrong fields is named', (t) => {
  t.match(decodeMessage(raw([4, 7], 'x00000000001' + '1320100000')), { field: 4 })
  t.match(decodeMessage(raw([4, 8], 'x00000000001' + '0')), { field: 4 })
  t.end()
})

test('the bounds of every field are accepted, and values beyond are not', (t) => {
  t.match(decodeMessage(raw([4], '999999999999')), { fields: { 4: '999999999999' } })
  t.match(decodeMessage(raw([7], '0229235959')), { fields: { 7: '0229235959' } })
  for (const [key, field] of Object.entries(FIELDS)) {
    if (field.lengthDigits === 0) continue
    const length = String(field.bytesMax + 1).padStart(field.lengthDigits, '0')
    if (length.length > field.lengthDigits) continue
    const bytes = raw([Number(key)], length + '0'.repeat(field.bytesMax + 1))
    t.match(decodeMessage(bytes), { field: Number(key) })
  }
  t.end()
})

test('a wrong value of known length does not hide the fields behind it', (t) => {
  const decoded = decodeMessage(raw([4, 7, 11, 41], 'x00000000001' + '1120100000000001TERM0001'))
  t.same(decoded, {
    field: 4,
    reason: 'must be digits',
    mti: '0100',
    fields: { 7: '1120100000', 11: '000001', 41: 'TERM0001' },
  })
  t.end()
})

test('a format error never repeats the received bytes', (t) => {
  const pan = '99999900000000001234'
  t.notMatch(JSON.stringify(decodeMessage(raw([2], '20' + pan))), pan)
  t.end()
})

test('a value that a field does not accept is not encoded', (t) => {
  const cases: [Fields, number][] = [
    [{ 4: '1250' }, 4],
    [{ 2: '9999990000000000x' }, 2],
    // Cut to one byte, this character would be the letter A.
    [{ 44: 'ŁA\u2041' }, 44],
    [{ 52: Buffer.alloc(7) }, 52],
    [{ 55: Buffer.from([0x70]) }, 55],
    [{ 8: '00000000' } as Fields, 8],
    [{ 52: '01234567' } as unknown as Fields, 52],
    [{ 4: Buffer.alloc(12, '0') } as unknown as Fields, 4],
  ]
  for (const [fields, field] of cases) t.match(encodeMessage({ mti: '0100', fields }), { field })
  t.end()
})
