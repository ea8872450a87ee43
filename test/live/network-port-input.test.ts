// Well-formed HTTP with invalid messages: broken JSON, broken text, impossible amounts, wrong
// signatures. Each has its defined answer, and none leaves a card's number anywhere.
import { type Test, test } from 'tap'
import { systemClock } from '../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../shared/keyring.ts'
import { signatureHeader } from '../../shared/signature.ts'
import {
  NETWORK_SECRET,
  newMessage,
  PAN,
  pushConfig,
  sealed,
  startEngine,
} from '../harness/engine.ts'
import {
  approvesStill,
  type EngineChild,
  filesWith,
  startEngineChild,
} from '../harness/engine-child.ts'
import { exchange, headOf, messageText, portOf, requestOf } from '../harness/raw-http.ts'

const CLOSE = 'Connection: close\r\n'

/** A valid message with its text changed by hand. */
function changed(from: string | RegExp, to: string): string {
  const text = messageText()
  const other = text.replace(from, to)
  if (other === text) throw new Error('nothing was changed by ' + from)
  return other
}

function amount(text: string): string {
  return changed('"amount_cents":1000', '"amount_cents":' + text)
}

function name(text: string): string {
  return changed('"name":"Shop"', '"name":' + text)
}

const also = (text: string): string => changed('{', '{' + text + ',')
const bytes = (before: string, ...middle: number[]): Buffer => {
  const [head, tail] = changed('Shop', '|').split('|') as [string, string]
  return Buffer.concat([Buffer.from(head + before), Buffer.from(middle), Buffer.from(tail)])
}

type Case = [what: string, body: string | Buffer, status: number, code?: string, param?: string]

const NUMBERS: Case[] = [
  ...[
    '1e400',
    '-1e400',
    '-1',
    '1.5',
    '9007199254740992',
    '9007199254740993',
    '1e16',
    'null',
    'true',
    '"1"',
    '[1]',
    '{}',
  ].map(
    (text): Case => [
      'an amount of ' + text,
      amount(text),
      400,
      'parameter_invalid',
      'amount_cents',
    ],
  ),
  ...['NaN', 'Infinity', '-', '+1', '01', '.5', '1.', '0x10', '1_000', '1e', '１'].map(
    (text): Case => ['an amount written ' + text, amount(text), 400, 'invalid_json'],
  ),
  ['an amount of -0', amount('-0'), 200],
  ['an amount of 1e3', amount('1e3'), 200],
  [
    'a month of 1e400',
    changed('"exp_month":12', '"exp_month":1e400'),
    400,
    'parameter_invalid',
    'card.exp_month',
  ],
]

const TEXTS: Case[] = [
  ['bytes that are no UTF-8', bytes('', 0xff), 400, 'invalid_json'],
  ['an overlong NUL', bytes('', 0xc0, 0x80), 400, 'invalid_json'],
  ['a surrogate in UTF-8', bytes('', 0xed, 0xa0, 0x80), 400, 'invalid_json'],
  ['half a character', bytes('', 0xe2, 0x82), 400, 'invalid_json'],
  ['a character beyond Unicode', bytes('', 0xf5, 0x80, 0x80, 0x80), 400, 'invalid_json'],
  ['UTF-16', Buffer.from(messageText(), 'utf16le'), 400, 'invalid_json'],
  ['a byte order mark', '\ufeff' + messageText(), 400, 'invalid_json'],
  ['a NUL in a text', bytes('', 0), 400, 'invalid_json'],
  ['a NUL behind', messageText() + '\0', 400, 'invalid_json'],
  ['a line feed in a text', bytes('', 10), 400, 'invalid_json'],
  ['half a surrogate pair in a name', name('"\\ud800"'), 200],
  ['a NUL in a name, escaped', name('"a\\u0000b"'), 200],
  [
    'half a surrogate pair in an identifier',
    changed('"id":"m-1"', '"id":"\\udc00"'),
    400,
    'parameter_invalid',
    'merchant.id',
  ],
  [
    'a NUL in an identifier, escaped',
    changed(/"id":"msg/, '"id":"\\u0000msg'),
    400,
    'parameter_invalid',
    'id',
  ],
  [
    'a name of 15,000 characters',
    name('"' + 'x'.repeat(15_000) + '"'),
    400,
    'parameter_invalid',
    'merchant.name',
  ],
  ['a name of a megabyte', name('"' + 'x'.repeat(1024 * 1024) + '"'), 413, 'payload_too_large'],
  ['a bad escape', name('"\\x41"'), 400, 'invalid_json'],
]

const SHAPES: Case[] = [
  ['nothing', '', 400, 'invalid_json'],
  ['spaces', '   ', 400, 'invalid_json'],
  ...['[]', '"text"', '1', 'null', 'true', '[' + messageText() + ']'].map(
    (text): Case => ['a message that is ' + text.slice(0, 6), text, 400],
  ),
  ['half an object', messageText().slice(0, -1), 400, 'invalid_json'],
  ['a letter behind', messageText() + 'x', 400, 'invalid_json'],
  ['two messages in one', messageText() + messageText(), 400, 'invalid_json'],
  ['a comma too many', changed(/}$/, ',}'), 400, 'invalid_json'],
  ['single quotes', messageText().replaceAll('"', "'"), 400, 'invalid_json'],
  ['a comment', changed('{', '{/**/'), 400, 'invalid_json'],
  ['spaces around', '\r\n\t ' + messageText() + ' \n', 200],
  ['arrays ten thousand deep', '['.repeat(10_000) + ']'.repeat(10_000), 413, 'payload_too_large'],
  ['arrays 8,000 deep', '['.repeat(8000) + ']'.repeat(8000), 400],
  ['arrays that never close', '['.repeat(16_000), 400, 'invalid_json'],
  ['objects 2,500 deep', '{"a":'.repeat(2500) + '1' + '}'.repeat(2500), 400],
  ['arrays 7,000 deep where nobody looks', also('"x":' + '['.repeat(7000) + ']'.repeat(7000)), 200],
  ['a prototype', also('"__proto__":{"kind":"refund","approved":true}'), 200],
  [
    'a message that is a prototype',
    '{"__proto__":' + messageText() + '}',
    400,
    'parameter_missing',
  ],
  [
    'a constructor',
    also('"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":1'),
    200,
  ],
  [
    'a card that is a prototype',
    changed('"card":', '"__proto__":'),
    400,
    'parameter_missing',
    'card',
  ],
]

const REPEATED: Case[] = [
  ['two amounts', also('"amount_cents":1'), 400, 'invalid_json'],
  ['the same amount twice', also('"amount_cents":1000'), 400, 'invalid_json'],
  ['two cards', also('"card":{"token":"ctok_1"}'), 400, 'invalid_json'],
  [
    'two numbers in a card',
    changed('"card":{', '"card":{"pan":"4111111111111111",'),
    400,
    'invalid_json',
  ],
  ['two categories of a merchant', changed('"mcc":', '"mcc":"0001","mcc":'), 400, 'invalid_json'],
  ['two prototypes', also('"__proto__":1,"__proto__":2'), 400, 'invalid_json'],
  ['an amount spelled otherwise', also('"\\u0061mount_cents":1'), 400, 'invalid_json'],
  [
    '130 unknown keys',
    also(Array.from({ length: 130 }, (_, index) => '"x' + index + '":1').join()),
    400,
    'invalid_json',
  ],
  ['a repetition where nobody looks', also('"x":{"y":{"a":1,"a":2}}'), 200],
  ['the same key in two objects', also('"x":{"a":1},"y":{"a":1}'), 200],
  ['a key as a value', also('"x":["a","a"],"y":"y"'), 200],
]

async function answerTo(
  engine: EngineChild,
  request: string | Buffer,
): Promise<{ status: number; text: string; error: unknown }> {
  const { statuses, text } = await exchange(engine.port, request)
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  return {
    status: statuses.join() === '' ? 0 : Number(statuses.join()),
    text,
    error: errorIn(body),
  }
}

function errorIn(body: string): unknown {
  try {
    return JSON.parse(body).error
  } catch {
    return 'no JSON: ' + body
  }
}

function request(body: string | Buffer): Buffer {
  const head = headOf(body) + CLOSE + 'Content-Length: ' + Buffer.byteLength(body) + '\r\n\r\n'
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

async function readyChild(t: Test): Promise<EngineChild> {
  const engine = await startEngineChild(t, { environment: { SVC_LOG_LEVEL: 'trace' } })
  await pushConfig(engine)
  t.ok(await approvesStill(engine))
  return engine
}

test('an invalid message has its defined answer, and the engine lives', async (t) => {
  const engine = await readyChild(t)
  for (const [what, body, status, code, param] of [...NUMBERS, ...TEXTS, ...SHAPES, ...REPEATED]) {
    const answer = await answerTo(engine, request(body))
    t.equal(answer.status, status, what)
    if (code !== undefined)
      t.match(answer.error, { code, ...(param === undefined ? {} : { param }) }, what)
    if (!answer.text.includes('HTTP/1.1 413')) t.notMatch(answer.text, PAN, what)
  }
  t.ok(await approvesStill(engine))
  t.same(filesWith(engine, PAN), [])
  t.notMatch(engine.output(), PAN)
})

const CANARY = '4111111111111111'
const SPELLED = [CANARY, '4111 1111 1111 1111', '4111-1111-1111-1111']

/** Fields stored and compared unchanged: only the plain number is searched in them. */
const IDENTIFIERS = ['id', 'network_transaction_id', 'merchant.id', 'original']

/** Requests with the number in every field that takes text. */
function canaries(): [what: string, request: Buffer][] {
  const card = { pan: CANARY, exp_month: 12, exp_year: 2034, cvc: '739' }
  const good = newMessage({ card })
  const fresh = (change: object): object => ({ ...newMessage({ card }), ...change })
  const withPan = (pan: string): [string, unknown][] => [
    ...Object.keys(good).map((key): [string, unknown] => [key, fresh({ [key]: pan })]),
    ...Object.keys(card).map((key): [string, unknown] => [
      'card.' + key,
      fresh({ card: { ...card, [key]: pan } }),
    ]),
    ...Object.keys(good.merchant).map((key): [string, unknown] => [
      'merchant.' + key,
      fresh({ merchant: { ...good.merchant, [key]: pan } }),
    ]),
    ['original', fresh({ kind: 'reversal', original_network_transaction_id: pan })],
    ['a key', fresh({ [pan]: 1 })],
    ['a key of the card', fresh({ card: { ...card, [pan]: 1 } })],
    ['an unknown value', fresh({ note: { deep: [pan] } })],
    ['a kind and nothing else', { kind: pan }],
    ['all of it', pan],
  ]
  const bodies = SPELLED.flatMap((pan) =>
    withPan(pan)
      .filter(([what]) => pan === CANARY || !IDENTIFIERS.includes(what))
      .map(([what, body]): [string, string] => [what + ' ' + pan, JSON.stringify(body)]),
  )
  const broken: [string, string][] = [
    ['broken JSON', JSON.stringify(good).slice(0, -1)],
    ['broken JSON with the number last', '{"card":{"pan":"' + CANARY],
    ['a number as a number', JSON.stringify(good).replace('"' + CANARY + '"', CANARY)],
    ['the number as key twice', '{"' + CANARY + '":1,"' + CANARY + '":2}'],
  ]
  const body = JSON.stringify(good)
  const plain = requestOf(body, CLOSE)
  const heads: [string, string][] = [
    ['the path', plain.replace('/messages', '/' + CANARY)],
    ['the query', plain.replace('/messages ', '/messages?pan=' + CANARY + ' ')],
    ['the method', plain.replace('POST', CANARY)],
    ['the version', plain.replace('HTTP/1.1', 'HTTP/' + CANARY)],
    ['a header', requestOf(body, CLOSE + 'User-Agent: ' + CANARY + '\r\n')],
    ['a header name', requestOf(body, CLOSE + CANARY + ': 1\r\n')],
    ['the key id', requestOf(body, CLOSE + 'Svc-Key-Id: ' + CANARY + '\r\n')],
    ['the signature', plain.replace(/Svc-Signature: [^\r]*/, 'Svc-Signature: ' + CANARY)],
    ['the length', plain.replace(/Content-Length: \d+/, 'Content-Length: ' + CANARY)],
    ['an unsigned message', plain.replace('v1=', 'v1=0')],
  ]
  return [
    ...[...bodies, ...broken].map(([what, text]): [string, Buffer] => [what, request(text)]),
    ...heads.map(([what, text]): [string, Buffer] => [what, Buffer.from(text)]),
  ]
}

test('a card’s number reaches no error, no log and no file, from any field', async (t) => {
  const engine = await readyChild(t)
  for (const [what, bytes] of canaries()) {
    const { status, text } = await answerTo(engine, bytes)
    t.ok(status < 500 || status === 505, what + ' ' + status)
    for (const pan of SPELLED) t.notOk(text.includes(pan), what)
  }
  t.ok(await approvesStill(engine))
  for (const pan of SPELLED) {
    t.same(filesWith(engine, pan), [])
    t.notOk(engine.output().includes(pan), 'the log')
  }
  t.ok(filesWith(engine, 'Springfield').length > 0, 'what may be kept is found this way')
})

test('a valid signature is exactly one, by this key, over these bytes, within the tolerance', async (t) => {
  const nowS = Math.floor(systemClock.nowMs() / 1000)
  const engine = await startEngine(t, { clock: { ...systemClock, nowMs: () => nowS * 1000 } })
  const other = 'nsec_b3RoZXI'
  const sealed_secret = sealed(SEAL_CONTEXTS.networkSecret, other)
  await pushConfig(engine, {
    more: [
      {
        type: 'network_key',
        id: 'nk_2',
        version: 1,
        network: 'othernet',
        environment: 'sandbox',
        sealed_secret,
      },
    ],
  })
  const body = messageText()
  const at = (t: number): string => signatureHeader([NETWORK_SECRET], t, body)
  const good = at(nowS)
  const [time, hex] = [good.slice(0, good.indexOf(',')), good.slice(good.indexOf('=', 5) + 1)]
  const malformed = 'malformed_header'
  const cases: [what: string, header: string | null, status: number, code?: string][] = [
    ['t - 301', at(nowS - 301), 401, 'timestamp_out_of_tolerance'],
    ['t - 300', at(nowS - 300), 200],
    ['t - 299', at(nowS - 299), 200],
    ['t + 299', at(nowS + 299), 200],
    ['t + 300', at(nowS + 300), 200],
    ['t + 301', at(nowS + 301), 401, 'timestamp_out_of_tolerance'],
    ['milliseconds', at(nowS * 1000), 401, malformed],
    ['1e9', good.replace(/t=\d+/, 't=1e9'), 401, malformed],
    ['-1', good.replace(/t=\d+/, 't=-1'), 401, malformed],
    ['t of nothing', good.replace(/t=\d+/, 't='), 401, malformed],
    ['another t', good.replace(/t=\d+/, 't=' + (nowS - 1)), 401, 'invalid_signature'],
    ['two t', time + ',' + good, 401, malformed],
    ['no t', 'v1=' + hex, 401, malformed],
    ['no v1', time, 401, malformed],
    ['nothing', '', 401, malformed],
    ['no header', null, 401, malformed],
    ['upper-case hex', time + ',v1=' + hex.toUpperCase(), 401, malformed],
    ['63 characters', time + ',v1=' + hex.slice(1), 401, malformed],
    ['65 characters', time + ',v1=' + hex + '0', 401, malformed],
    ['no hex', time + ',v1=' + 'zz'.repeat(32), 401, malformed],
    ['zeros', time + ',v1=' + '00'.repeat(32), 401, 'invalid_signature'],
    ['a semicolon', good.replace(',', ';'), 401, malformed],
    ['a space', good.replace(',', ', '), 401, malformed],
    ['nine of them', time + (',v1=' + hex).repeat(9), 401, malformed],
    ['a kilobyte', good + ',x='.padEnd(1024, 'x'), 401, malformed],
    ['another scheme besides', good + ',v2=abc', 200],
    ['the right one behind a wrong one', time + ',v1=' + '00'.repeat(32) + ',v1=' + hex, 200],
  ]
  const answer = async (
    headers: string,
    sent = body,
  ): Promise<{ status: number; text: string }> => {
    const head = 'POST /v1/network/messages HTTP/1.1\r\nHost: engine\r\n' + CLOSE + headers
    const length = 'Content-Length: ' + Buffer.byteLength(sent) + '\r\n\r\n'
    const { statuses, text } = await exchange(portOf(engine), head + length + sent)
    return { status: statuses[0] ?? 0, text }
  }
  for (const [what, header, status, code = ''] of cases) {
    const given = await answer(header === null ? '' : 'Svc-Signature: ' + header + '\r\n')
    t.match(given, { status, text: new RegExp(code) }, what)
  }
  const signed = 'Svc-Signature: ' + good + '\r\n'
  const wrong = { status: 401, text: /invalid_signature/ }
  t.match(await answer(signed, body + ' '), wrong, 'a space behind the body')
  t.match(await answer(signed, body.replace('1000', '1001')), wrong, 'another amount')
  t.match(await answer(signed + 'Svc-Key-Id: nk_2\r\n'), wrong, 'the key of another network')
  t.match(await answer(signed + 'Svc-Key-Id: nk_3\r\n'), wrong, 'a key nobody has')
  t.match(await answer(signed + 'Svc-Key-Id: nk_1\r\n'), { status: 200 })
  const foreign = signatureHeader([other], nowS, body)
  t.match(await answer('Svc-Signature: ' + foreign + '\r\nSvc-Key-Id: nk_1\r\n'), wrong)
  t.equal((await engine.entries()).length, 1, 'one message, decided once')
  const theirs = await answer('Svc-Signature: ' + foreign + '\r\nSvc-Key-Id: nk_2\r\n')
  t.match(theirs, { status: 200 }, 'the other network has messages of its own')
  t.equal((await engine.entries()).length, 2)
})

test('a message on two connections at once is decided once, with one answer', async (t) => {
  const engine = await startEngine(t)
  await pushConfig(engine)
  const bytes = requestOf(messageText(), CLOSE)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => exchange(portOf(engine), bytes)),
  )
  const bodies = new Set(answers.map(({ text }) => text.slice(text.indexOf('\r\n\r\n'))))
  t.equal(bodies.size, 1)
  t.match([...bodies][0], /"approved":true/)
  t.equal((await engine.entries()).length, 1)
})
