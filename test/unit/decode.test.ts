import { test } from 'tap'
import { decode, decodeWire } from '../../engine/line/decode.ts'
import type { Arrival, Line } from '../../engine/line/line.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { luhnDigit } from '../../shared/pan.ts'
import { NOTIFICATION_KINDS, REQUEST_KINDS } from '../../shared/schemas/network-message.ts'

const PAN = '9999990000000000'
const NOW_MS = Date.UTC(2026, 10, 20, 12)
const derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
/** A number of our own range, and a foreign one. */
const OWN = ownNumber('99999900000000')
const OTHERS = ownNumber('99999911111111')
const configCache = {
  cardByToken: (token: string) =>
    token === 'tok_1' ? { fingerprint: derivation.fingerprint(OWN) } : null,
}
const line = { secrets: { derivation: () => derivation }, configCache } as unknown as Line

function ownNumber(head: string): string {
  const body = head + '0'
  return body + luhnDigit(body)
}

const arrival: Arrival = {
  receivedAtMs: NOW_MS,
  receivedNs: 0,
  networkKey: { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: 's' },
  reply: { send: () => {} },
}

const MERCHANT = { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' }
const MESSAGE = {
  id: 'msg-1',
  kind: 'authorization',
  transmitted_at: '2026-11-20T12:00:00Z',
  network_transaction_id: 'ntx-1',
  card: { pan: PAN, exp_month: 12, exp_year: 2034, cvc: '123' },
  amount_cents: 1000,
  currency: 'USD',
  merchant: MERCHANT,
}

const decoded = (body: string | Uint8Array) => decode(line, arrival, Buffer.from(body))
const repeated = (is_repeat: boolean) => decoded(JSON.stringify({ ...MESSAGE, is_repeat }))
const withMerchant = (change: object) =>
  decoded(JSON.stringify({ ...MESSAGE, merchant: { ...MERCHANT, ...change } }))

test('free text is stored without PANs, control characters and halves of characters', (t) => {
  const cases: [given: string, kept: string][] = [
    ['Café 42 – 東京 🍜', 'Café 42 – 東京 🍜'],
    ['Shop\u0000\nEast', 'Shop\ufffd\ufffdEast'],
    ['\ud800Shop', '\ufffdShop'],
    ['Card 9999 9900 0000 0000 shop', 'Card [pan] shop'],
  ]
  for (const [given, kept] of cases) {
    t.match(withMerchant({ name: given }), { record: { merchantName: kept } })
    t.match(withMerchant({ city: given }), { record: { city: kept } })
  }
  t.end()
})

test('a repeat is decoded as the same message and marked', (t) => {
  const [first, repeat] = [decoded(JSON.stringify(MESSAGE)), repeated(true)]
  if ('refused' in first || 'refused' in repeat) throw new Error('no message')
  t.same(repeat, { ...first, record: { ...first.record, isRepeat: true } })
  t.same(repeated(false), first)
  t.match(decoded(JSON.stringify({ ...MESSAGE, is_repeat: 1 })), { param: 'is_repeat' })
  t.end()
})

test('an identifier is stored unchanged or refused', (t) => {
  // ISO 8583 field 42 is often fifteen digits.
  t.match(withMerchant({ id: '445012345678901' }), { record: { merchantId: '445012345678901' } })
  const param = 'merchant.id'
  const grouped = '9999 9900 0000 0000'
  for (const id of ['m\u0000', 'm\n1', '\udc00', 'x' + PAN, grouped, grouped.replaceAll(' ', '-')])
    t.match(withMerchant({ id }), { refused: 'parameter_invalid', param })
  for (const field of ['id', 'network_transaction_id', 'original_network_transaction_id'])
    t.match(decoded(JSON.stringify({ ...MESSAGE, [field]: 'a-' + PAN })), {
      refused: 'parameter_invalid',
      param: field,
    })
  t.end()
})

test('the names of a wallet and an authentication may not contain a PAN', (t) => {
  const cases: [object, string][] = [
    [{ wallet: { token_id: 'w-' + PAN } }, 'wallet.token_id'],
    [{ wallet: { token_id: 'w', provider: PAN } }, 'wallet.provider'],
    [{ three_ds: { transaction_id: PAN, claim: 'attempted' } }, 'three_ds.transaction_id'],
  ]
  for (const [change, param] of cases)
    t.match(decoded(JSON.stringify({ ...MESSAGE, ...change })), {
      refused: 'parameter_invalid',
      param,
    })
  t.end()
})

test('a message that names its card by token keeps the number of that card nowhere', (t) => {
  const card = { token: 'tok_1' }
  const places = (text: string): [object, string][] => [
    [{ id: text }, 'id'],
    [{ network_transaction_id: text }, 'network_transaction_id'],
    [{ original_network_transaction_id: text }, 'original_network_transaction_id'],
    [{ merchant: { ...MERCHANT, id: text } }, 'merchant.id'],
    [{ wallet: { token_id: text } }, 'wallet.token_id'],
    [{ wallet: { token_id: 'w', provider: text } }, 'wallet.provider'],
    [{ three_ds: { transaction_id: text, claim: 'attempted' } }, 'three_ds.transaction_id'],
  ]
  const groups = (by: string) => (OWN.match(/.{4}/g) ?? []).join(by)
  for (const text of [OWN, 'a' + OWN, '00' + OWN + '11', groups('-'), groups('.'), groups('_')])
    for (const [change, param] of places(text)) {
      const wire = { ...MESSAGE, card, ...change }
      t.match(decoded(JSON.stringify(wire)), { refused: 'parameter_invalid', param }, param)
      t.match(decodeWire(line, arrival, wire), { refused: 'parameter_invalid', param }, param)
    }
  const rate = {
    billing: { amount_cents: 1, currency: 'EUR', rate: OWN.slice(0, 12) + '.' + OWN.slice(12) },
  }
  t.match(decodeWire(line, arrival, { ...MESSAGE, card, ...rate }), { param: 'billing.rate' })
  // Terminals and networks choose their own numbers: a clock, fifteen digits, a number that looks
  // like another card's.
  for (const text of ['1764009600000', '445012345678901', '411111111111', OTHERS])
    for (const [change] of places(text))
      t.match(decoded(JSON.stringify({ ...MESSAGE, card, ...change })), { record: {} }, text)
  const unknown = { ...MESSAGE, card: { token: 'tok_2' }, id: OWN }
  t.match(decodeWire(line, arrival, unknown), { record: { id: OWN } }, 'a card that nobody knows')
  const named = decodeWire(line, arrival, {
    ...MESSAGE,
    card,
    merchant: { ...MERCHANT, name: 'x' + OWN },
  })
  t.match(named, { record: { merchantName: 'x[pan]' } })
  t.end()
})

test('an authorization request by card number needs the expiry, a notification does not', (t) => {
  const card = { pan: PAN }
  for (const kind of REQUEST_KINDS) {
    const amount = kind === 'authorization' || kind === 'incremental' ? 1000 : 0
    t.match(decoded(JSON.stringify({ ...MESSAGE, kind, card, amount_cents: amount })), {
      refused: 'parameter_missing',
      param: 'card.exp_month',
    })
  }
  for (const kind of NOTIFICATION_KINDS) {
    const advice = kind === 'advice' ? { approved: true } : undefined
    t.match(decoded(JSON.stringify({ ...MESSAGE, kind, card, advice })), { expMonth: 0 }, kind)
  }
  t.end()
})

test('an object from another listener has to pass the same checks', (t) => {
  t.match(decodeWire(line, arrival, MESSAGE), { record: { id: 'msg-1' } })
  for (const wire of [null, [], 'x', { ...MESSAGE, amount_cents: -1 }, {}])
    t.ok('refused' in decodeWire(line, arrival, wire))
  t.end()
})

test('inexact amounts are refused, and no JSON text breaks the decoder', (t) => {
  const body = JSON.stringify(MESSAGE)
  const amount = (text: string) => decoded(body.replace(':1000', ':' + text))
  for (const text of ['1e400', '-1', '1.5', '9007199254740992', '9007199254740993', 'null', '"1"'])
    t.match(amount(text), { refused: 'parameter_invalid', param: 'amount_cents' }, text)
  for (const [text, kept] of [
    ['-0', 0],
    ['1e3', 1000],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const) {
    const message = amount(text)
    t.ok('record' in message && Object.is(message.record.amountCents, kept), text)
  }
  const refused = { refused: 'invalid_json' }
  t.match(decoded('\ufeff' + body), refused, 'a byte order mark')
  t.match(decoded(Buffer.from([0x7b, 0xff, 0x7d])), refused, 'no UTF-8')
  t.match(decoded('['.repeat(16_000)), refused, 'deep nesting')
  t.match(decoded('['.repeat(8000) + ']'.repeat(8000)), { refused: 'parameter_invalid' })
  t.match(decoded('{"__proto__":' + body + '}'), { refused: 'parameter_missing' })
  t.match(decoded(body.replace('{', '{"__proto__":{"kind":"x"},')), {
    record: { kind: 'authorization' },
  })
  t.equal(({} as { kind?: string }).kind, undefined)
  t.end()
})

test('a refusal names every field at fault once, the first one first, and ten at most', (t) => {
  const wire = { ...MESSAGE, currency: 1, amount_cents: -1, merchant: { ...MERCHANT, mcc: 'x' } }
  const refused = decodeWire(line, arrival, wire)
  if (!('refused' in refused)) throw new Error('no refusal')
  const { errors } = refused
  t.same(errors?.map(({ param }) => param).sort(), ['amount_cents', 'currency', 'merchant.mcc'])
  const { refused: code, param, detail } = refused
  t.same(errors?.[0], { code, param, message: detail })
  const empty = decodeWire(line, arrival, { card: { cvc: 1, pin: 1 }, merchant: {} })
  if (!('refused' in empty)) throw new Error('no refusal')
  t.equal(empty.errors?.length, 10)
  t.equal(new Set(empty.errors?.map((fault) => fault.param)).size, 10)
  t.match(decodeWire(line, arrival, { ...MESSAGE, advice: { approved: true }, fee_cents: 1001 }), {
    param: 'advice',
    errors: [{ param: 'advice' }, { param: 'fee_cents' }],
  })
  t.match(decodeWire(line, arrival, { ...MESSAGE, card: { token: 't', pan: PAN } }), {
    refused: 'parameters_exclusive',
    errors: null,
  })
  t.end()
})
