import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { decodeWire } from '../../engine/line/decode.ts'
import type { Arrival, Line } from '../../engine/line/line.ts'
import { answerOf, codeAnswer, echoOf } from '../../engine/listeners/iso8583/answer.ts'
import { networkMessageOf } from '../../engine/listeners/iso8583/request.ts'
import { repeated, isoRequest as requestOf } from '../../scripts/simulate/iso-request.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import {
  type NetworkMessage,
  THREE_DS_CLAIMS,
  UNREADABLE_PIN,
} from '../../shared/schemas/network-message.ts'
import { decodeMessage, encodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import { currencyCode, currencyNumber } from '../../shared/wire/iso8583/currencies.ts'
import { fieldReference, fieldTable } from '../../shared/wire/iso8583/field-reference.ts'
import type { Fields } from '../../shared/wire/iso8583/fields.ts'
import { pinBlock, pinOfBlock } from '../../shared/wire/iso8583/pin-block.ts'
import { decodePrivateData, encodePrivateData } from '../../shared/wire/iso8583/private-data.ts'
import { anyMessage, PURCHASE } from '../harness/iso-messages.ts'
import { fc } from '../harness/properties.ts'

const NOW_MS = Date.UTC(2026, 10, 20, 10, 0, 5)
const TRACE = { stan: '000042', acquirer: '123456', terminal: 'T 1' }

/** A message as the engine reads it from the simulator's bytes. */
function carried(message: NetworkMessage, nowMs = NOW_MS) {
  const bytes = encodeMessage(requestOf(message, TRACE) as IsoMessage)
  if (!Buffer.isBuffer(bytes)) throw new Error(bytes.field + ' ' + bytes.reason)
  return networkMessageOf(decodeMessage(bytes) as IsoMessage, nowMs)
}

const MESSAGE: NetworkMessage = {
  id: 'iso-010-123456-000042-20261120100000-T%201',
  kind: 'authorization',
  transmitted_at: '2026-11-20T10:00:00.000Z',
  network_transaction_id: 'ntx-1',
  card: { pan: '9999990000000000', exp_month: 12, exp_year: 2034, cvc: '123' },
  amount_cents: 1250,
  currency: 'USD',
  merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'Portland', country: 'US' },
  transaction_type: 'purchase',
  entry_method: 'chip',
  partial_approval_capable: false,
}

const MTI_STARTS: { readonly [kind: string]: string } = { reversal: '042', advice: '012' }
const word = (most: number) => fc.stringMatching(new RegExp('^[!-~]{1,' + most + '}$'))
const cents = fc.integer({ min: 0, max: 999_999_999_999 })
const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD')

const anyWire: fc.Arbitrary<NetworkMessage> = fc
  .record({
    kind: fc.constantFrom('authorization', 'incremental', 'advice', 'reversal'),
    ntx: word(128),
    original: fc.option(word(128), { nil: undefined }),
    pin: fc.option(fc.stringMatching(/^\d{4,12}$/), { nil: undefined }),
    amount_cents: cents,
    currency,
    billing: fc.option(
      fc.record({
        amount_cents: cents,
        currency,
        rate: fc.constantFrom('1.25', '0.0077', '1234567'),
      }),
      { nil: undefined },
    ),
    extra: fc.record(
      {
        cashback_cents: fc.integer({ min: 1, max: 999_999 }),
        fee_cents: fc.integer({ min: 1, max: 99_999_999 }),
        initiator: fc.constantFrom('cardholder' as const, 'merchant' as const),
        recurring: fc.boolean(),
        is_repeat: fc.constant(true),
        final: fc.boolean(),
        wallet: fc.record({ token_id: word(60), provider: word(32) }),
        three_ds: fc.record({
          claim: fc.constantFrom(...THREE_DS_CLAIMS),
          transaction_id: word(60),
        }),
      },
      { requiredKeys: [] },
    ),
    partial_approval_capable: fc.boolean(),
    entry_method: fc.constantFrom('chip', 'contactless', 'swipe', 'manual', 'online', 'ocr'),
    transaction_type: fc.constantFrom('purchase', 'cash_withdrawal', 'refund', 'bill_payment'),
    sponsor: fc.boolean(),
    approved: fc.boolean(),
  })
  .map(({ ntx, original, pin, billing, extra, sponsor, approved, kind, ...rest }) => ({
    ...MESSAGE,
    ...rest,
    ...extra,
    kind: kind as NetworkMessage['kind'],
    id: MESSAGE.id.replace('010', MTI_STARTS[kind] ?? '010'),
    network_transaction_id: ntx,
    card: { ...MESSAGE.card, ...(pin !== undefined && { pin }) },
    ...(original !== undefined && { original_network_transaction_id: original }),
    ...(billing !== undefined && { billing }),
    ...(kind === 'advice' && {
      advice: {
        approved,
        decided_by: sponsor ? ('sponsor_bank' as const) : ('network' as const),
        response_code: approved ? '00' : '51',
      },
    }),
  })) as fc.Arbitrary<NetworkMessage>

test('a message in ISO 8583 fields decodes to the same message as in JSON', (t) => {
  t.same(carried(MESSAGE), MESSAGE)
  fc.assert(
    fc.property(anyWire, (message) => {
      t.same(carried(message), message)
    }),
    { numRuns: 400 },
  )
  t.end()
})

test('verifications, inquiries and tokens have their own fields', (t) => {
  const verification = { ...MESSAGE, kind: 'account_verification' as const, amount_cents: 0 }
  t.same(carried(verification), verification)
  const inquiry = { ...MESSAGE, kind: 'balance_inquiry' as const, amount_cents: 0 }
  t.same(carried(inquiry), inquiry)
  const byToken = { ...MESSAGE, card: { token: 'tok_1' } }
  t.same(carried(byToken), byToken)
  const fallback = { ...MESSAGE, entry_method: 'swipe', fallback_from_chip: true }
  t.same(carried(fallback), fallback)
  t.equal(requestOf({ ...MESSAGE, kind: 'capture' }, TRACE), null, 'cleared by other means')
  t.end()
})

test('a message and its repeats share an id that no other message has', (t) => {
  const request = requestOf(MESSAGE, TRACE) as IsoMessage
  const idOf = (message: IsoMessage): string => {
    const wire = networkMessageOf(message, NOW_MS)
    return 'id' in wire ? wire.id : 'field ' + wire.field
  }
  const id = idOf(request)
  t.equal(id, MESSAGE.id)
  t.equal(idOf(repeated(request)), id, '0101')
  const changes: Fields[] = [
    { 11: '000043' },
    { 32: '123457' },
    { 7: '1120100001' },
    { 41: 'T_1     ' },
    { 41: 'T%201   ' },
  ]
  const others = changes.map((change) =>
    idOf({ ...request, fields: { ...request.fields, ...change } }),
  )
  others.push(idOf({ ...request, mti: '0420' }), idOf({ ...request, mti: '0400' }))
  t.equal(new Set([id, ...others]).size, others.length + 1, others.join(' '))
  t.equal(
    idOf({ ...request, mti: '0421' }),
    idOf({ ...request, mti: '0420' }),
    'a repeated reversal is the same reversal',
  )
  t.end()
})

test('a moment without a year is the one nearest to now', (t) => {
  const cases: [now: string, field: string, moment: string | null][] = [
    ['2026-11-20T10:00:05Z', '1120100000', '2026-11-20T10:00:00.000Z'],
    ['2027-01-01T00:00:05Z', '1231235959', '2026-12-31T23:59:59.000Z'],
    ['2026-12-31T23:59:59Z', '0101000001', '2027-01-01T00:00:01.000Z'],
    ['2028-02-29T12:00:00Z', '0229120000', '2028-02-29T12:00:00.000Z'],
    ['2026-03-01T12:00:00Z', '0229120000', null],
  ]
  const request = requestOf(MESSAGE, TRACE) as IsoMessage
  for (const [now, field, moment] of cases) {
    const fields = { ...request.fields, 7: field }
    const wire = networkMessageOf({ ...request, fields }, Date.parse(now))
    t.match(wire, moment === null ? { field: 7 } : { transmitted_at: moment }, now)
  }
  t.end()
})

test('a partial reversal returns the amount that its replacement leaves', (t) => {
  const request = requestOf({ ...MESSAGE, kind: 'reversal' }, TRACE) as IsoMessage
  const withReplacement = (kept: string) =>
    networkMessageOf(
      { ...request, fields: { ...request.fields, 95: kept.padStart(12, '0') + '0'.repeat(30) } },
      NOW_MS,
    )
  t.match(withReplacement('1000'), { kind: 'reversal', amount_cents: 250 })
  t.match(withReplacement('0'), { amount_cents: 1250 })
  t.match(withReplacement('1250'), { amount_cents: 0 })
  t.match(withReplacement('1251'), { field: 95 })
  t.end()
})

test('a missing or impossible field is named', (t) => {
  const purchase: IsoMessage = { mti: '0100', fields: { ...PURCHASE.fields } }
  delete purchase.fields[52]
  const cases: [change: Fields, field: number][] = [
    [{ 49: '999' }, 49],
    [{ 28: 'C00000100' }, 28],
    [{ 64: Buffer.alloc(8) }, 64],
    [{ 128: Buffer.alloc(8) }, 128],
    [{ 6: '000000000100' }, 51],
    [{ 6: '000000000100', 51: '999' }, 51],
    [{ 35: '9999990000000018=34120000' }, 35],
    [{ 48: '01003123' + '99001x' }, 48],
    [{ 48: '0100312' }, 48],
    [{ 48: '01003abc' }, 48],
    [{ 48: '01003123' + '01003123' }, 48],
    [{ 48: encodePrivateData({ decidedBy: 'N' }) }, 48],
    [{ 48: encodePrivateData({ walletProvider: 'apple' }) }, 48],
    [{ 48: encodePrivateData({ threeDsId: 'x' }) }, 48],
  ]
  t.ok('id' in networkMessageOf(purchase, NOW_MS))
  for (const [change, field] of cases) {
    const changed = { ...purchase, fields: { ...purchase.fields, ...change } }
    t.same(networkMessageOf(changed, NOW_MS), { field })
  }
  for (const field of [3, 4, 7, 32, 41, 42, 43, 49] as const) {
    const { [field]: _, ...fields } = purchase.fields
    t.same(networkMessageOf({ ...purchase, fields }, NOW_MS), { field })
  }
  t.same(networkMessageOf({ ...purchase, mti: '0120' }, NOW_MS), { field: 39 }, 'an advice of what')
  t.same(
    networkMessageOf(
      { mti: '0420', fields: { ...purchase.fields, 48: encodePrivateData({ incremental: '1' }) } },
      NOW_MS,
    ),
    { field: 48 },
  )
  t.end()
})

test('a field 48 in the format of another acquirer is passed over', (t) => {
  const plain = networkMessageOf({ ...PURCHASE, fields: { ...PURCHASE.fields } }, NOW_MS)
  const { 48: _, ...fields } = PURCHASE.fields
  const without = networkMessageOf({ ...PURCHASE, fields }, NOW_MS)
  t.ok('id' in plain && 'id' in without)
  for (const text of ['cvc=123', '99001x', 'R8002T', '01', '010ab', '01999123', ' '])
    t.same(
      networkMessageOf({ ...PURCHASE, fields: { ...fields, 48: text } }, NOW_MS),
      without,
      text,
    )
  t.end()
})

test('an acquirer may leave out the fields the engine does not need', (t) => {
  const {
    2: pan,
    14: expiry,
    11: _,
    18: __,
    37: ___,
    52: ____,
    63: _____,
    ...rest
  } = PURCHASE.fields
  const read = (fields: Fields, mti: IsoMessage['mti'] = '0100') =>
    networkMessageOf({ mti, fields: { ...rest, 43: ' '.repeat(40), ...fields } }, NOW_MS)
  const track = pan + '=' + expiry + '2011758928889'
  const bare = read({ 35: track })
  t.match(bare, {
    id: 'iso-010-12345678901-000000-20261120100000-TERM0001',
    network_transaction_id: 'stan-12345678901-000001-1120100000',
    card: { pan, exp_month: 12, exp_year: 2034 },
    merchant: { name: '-', mcc: '0000', city: '', country: 'ZZ' },
  })
  t.notMatch(JSON.stringify(bare), '2011758928889', 'the rest of the track goes no further')
  t.same(read({ 35: track.replace('=', 'D') }), bare)
  t.match(read({ 2: pan, 35: track, 14: '3501' } as Fields), { card: { pan, exp_year: 2035 } })
  t.match(read({ 35: track, 48: encodePrivateData({ cardToken: 'tok_1' }) }), {
    card: { token: 'tok_1', pan: undefined },
  })
  t.match(read({ 2: pan, 52: Buffer.alloc(8) } as Fields), { card: { pin: UNREADABLE_PIN } })

  const { 90: original, ...whole } = rest
  const first = networkMessageOf(
    { mti: '0100', fields: { ...whole, 11: '000001', 35: track } },
    NOW_MS,
  )
  const reversal = read(
    { 7: '1120100500', 11: '000002', 35: track, 90: original } as Fields,
    '0420',
  )
  if ('field' in first || 'field' in reversal) throw new Error('not understood')
  t.equal(reversal.network_transaction_id, first.network_transaction_id, 'by field 90')
  t.not(reversal.id, first.id)
  const byReference = [
    read({ 35: track, 37: '632510000001' }),
    read({ 37: '632510000001' }, '0420'),
  ]
  for (const wire of byReference)
    t.match(wire, { network_transaction_id: 'rrn-12345678901-TERM0001-632510000001' })
  t.end()
})

test('the documented table equals the fields of the dialect', (t) => {
  const readme = new URL('../../engine/listeners/iso8583/README.md', import.meta.url)
  t.ok(readFileSync(readme, 'utf8').endsWith('\n' + fieldTable() + '\n'))
  const numbers = fieldReference().map(({ number }) => number)
  t.same(
    numbers,
    Array.from({ length: 127 }, (_, index) => index + 2),
  )
  t.end()
})

test('private data consists of elements in order, each once, and nothing else', (t) => {
  const data = { cvc: '123', walletTokenId: 'w', walletProvider: 'apple', final: '1' }
  const text = encodePrivateData(data)
  t.equal(text, '01003123' + '04005apple' + '05001w' + '110011')
  t.same(decodePrivateData(text), data)
  t.equal(encodePrivateData({}), '')
  const bad = [
    '010031234',
    '0100312',
    '01003123' + '01 03123',
    '01003123' + '99001x',
    '01003123' + '01003123',
    '04005apple' + '01003123',
    '09001x',
    '05010abc',
    '01003123' + '0100',
  ]
  for (const wrong of bad) t.equal(decodePrivateData(wrong), null, wrong)
  for (const foreign of ['01002' + '12', '01 03123', '99001x', '0100', '0102030405'])
    t.same(decodePrivateData(foreign), {}, foreign)
  t.end()
})

test('a PIN block opens for its card only', (t) => {
  const pan = '4111111111111111'
  t.equal(pinBlock('1234', pan).toString('hex'), '041225eeeeeeeeee')
  for (const pin of ['1234', '123456789012']) t.equal(pinOfBlock(pinBlock(pin, pan), pan), pin)
  t.equal(pinOfBlock(pinBlock('1234', pan), '9999990000000000'), null)
  for (const bad of [
    '141225eeeeeeeeee',
    '031225eeeeeeeeee',
    '0d1225eeeeeeeeee',
    '04122aeeeeeeeeee',
  ])
    t.equal(pinOfBlock(Buffer.from(bad, 'hex'), pan), null, bad)
  t.end()
})

/** Currencies that an older data set does not know. */
const YOUNG = new Set(['VED', 'XCG'])

test('a currency has one number, and a number one currency', (t) => {
  const pairs: [string, string][] = [
    ['840', 'USD'],
    ['978', 'EUR'],
    ['392', 'JPY'],
    ['414', 'KWD'],
    ['048', 'BHD'],
    ['826', 'GBP'],
  ]
  for (const [number, code] of pairs) {
    t.equal(currencyCode(number), code)
    t.equal(currencyNumber(code), number)
  }
  const known = new Set(Intl.supportedValuesOf('currency'))
  const codes = Array.from({ length: 1000 }, (_, number) =>
    currencyCode(String(number).padStart(3, '0')),
  ).filter((code) => code !== null)
  t.ok(codes.length > 150)
  t.equal(new Set(codes).size, codes.length)
  t.same(
    codes.filter((code) => !known.has(code) && !YOUNG.has(code)),
    [],
  )
  for (const gone of ['999', '000', '191']) t.equal(currencyCode(gone), null)
  t.end()
})

const DECISION = {
  message_id: 'm',
  transaction_id: 'txn_1',
  approved: true,
  approved_amount_cents: 700,
  response_code: '10',
  authorization_code: '123456',
  decline_reason: null,
  decided_by: 'static_controls',
  stand_in: false,
}

test('an answer in fields equals the one in JSON, and never contains the card number', (t) => {
  const request = requestOf(MESSAGE, TRACE) as IsoMessage
  let currency: string | null = null
  const answered = (status: number, body: object) => {
    const echo = { ...echoOf(request.mti, request.fields)!, currency }
    return answerOf(echo, status, JSON.stringify(body))
  }
  const known = { 3: '000000', 7: '1120100000', 11: '000042', 32: '123456', 41: 'T 1     ' }
  const partly = answered(200, DECISION)
  t.match(partly, { mti: '0110', fields: { ...known, 4: '000000000700', 38: '123456', 39: '10' } })
  t.notOk(JSON.stringify(partly).includes(MESSAGE.card.pan!))
  const declined = { ...DECISION, approved: false, response_code: '51', authorization_code: null }
  t.match(answered(200, declined).fields, { 4: '000000001250', 38: undefined, 39: '51' })
  const balance = { ...DECISION, available_amount_cents: 4321 }
  t.equal(answered(200, balance).fields[54], undefined)
  currency = 'EUR'
  t.match(answered(200, balance).fields, { 54: '0002978C000000004321' })
  const params: [string | null, string][] = [
    ['merchant.country', '043'],
    ['merchant.id', '042'],
    ['merchant.mcc', '018'],
    ['card.exp_month', '014'],
    ['card.token', '002'],
    ['id', '011'],
    ['transmitted_at', '007'],
    ['network_transaction_id', '063'],
    ['original_network_transaction_id', '048'],
    ['three_ds.transaction_id', '048'],
    ['amount_cents', '004'],
    ['billing.rate', '010'],
  ]
  for (const [param, field] of params)
    t.match(answered(400, { error: { param } }).fields, { 39: '30', 44: field }, String(param))
  t.match(answered(503, {}).fields, { 39: '91', 44: undefined })
  t.match(answered(401, {}).fields, { 39: '63' })
  for (const body of [DECISION, declined, balance])
    t.ok(Buffer.isBuffer(encodeMessage(answered(200, body))))
  t.end()
})

/** Fields whose random values would refuse most messages. */
const SENSIBLE: Fields = { ...PURCHASE.fields, 39: '00', 48: '01003123', 49: '840', 51: '978' }

test('every readable message is understood or refused, and its answer can be written', (t) => {
  const derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
  const configCache = { cardByToken: () => null }
  const line = { secrets: { derivation: () => derivation }, configCache } as unknown as Line
  const arrival: Arrival = {
    receivedAtMs: NOW_MS,
    receivedNs: 0,
    networkKey: { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: 's' },
    reply: { send: () => {} },
  }
  let understood = 0
  fc.assert(
    fc.property(anyMessage(), fc.boolean(), (message, whole) => {
      const fields = whole ? { ...message.fields, ...SENSIBLE } : message.fields
      if (whole) for (const number of [28, 35, 52, 64, 95, 128] as const) delete fields[number]
      const echo = echoOf(message.mti, fields)
      const wire = networkMessageOf({ mti: message.mti, fields }, NOW_MS)
      if (echo === null) return true
      if ('field' in wire) return Buffer.isBuffer(encodeMessage(codeAnswer(echo, '30', wire.field)))
      understood += 1
      const decoded = decodeWire(line, arrival, wire)
      if (!('refused' in decoded)) return Buffer.isBuffer(encodeMessage(answerOf(echo, 503, '')))
      const body = JSON.stringify({ error: { param: decoded.param } })
      return Buffer.isBuffer(encodeMessage(answerOf(echo, 400, body)))
    }),
    { numRuns: 1000 },
  )
  t.ok(understood > 200, 'enough of them: ' + understood)
  t.end()
})

test('every request type has its answer type, repeats the same, and an answer has none', (t) => {
  const types = { '0100': '0110', '0101': '0110', '0120': '0130', '0121': '0130', '0400': '0410',
    '0401': '0410', '0420': '0430', '0421': '0430', '0800': '0810', '0801': '0810' } as const // biome-ignore format: pairs.
  for (const [request, answer] of Object.entries(types))
    t.equal(echoOf(request as IsoMessage['mti'], {})?.mti, answer)
  for (const mti of ['0110', '0130', '0410', '0430', '0810'] as const)
    t.equal(echoOf(mti, {}), null)
  t.end()
})
