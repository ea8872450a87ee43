import { randomInt, X509Certificate } from 'node:crypto'
import { createRequire } from 'node:module'
import type { ConnectionOptions } from 'node:tls'
import { test } from 'tap'
import { ONLY_REFUNDS } from '../../engine/lifecycle/change.ts'
import { linkClient } from '../../engine/listeners/iso8583/client-key.ts'
import type { Tls } from '../../engine/listeners/tls.ts'
import { repeated } from '../../scripts/simulate/iso-request.ts'
import { runLoad } from '../../scripts/simulate/load.ts'
import { targetOf } from '../../scripts/simulate/message.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { ClientRule } from '../../shared/settings.ts'
import { decodeMessage, encodeMessage, type IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import { frameOf } from '../../shared/wire/iso8583/framing.ts'
import {
  CLIENT_CERTIFICATES,
  NETWORK_AUTHORITY,
  NETWORK_KEY,
  SERVER_CERTIFICATE,
} from '../fakes/network-certificates.ts'
import { type Behaviour, startTenant } from '../fakes/tenant.ts'
import {
  cardConfig,
  endpointConfig,
  newMessage,
  PAN,
  pushConfig,
  startEngine,
  TENANT_SECRET,
  type TestEngine,
} from '../harness/engine.ts'
import { isoPurchase, management, openLink, type TestLink } from '../harness/iso-link.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

interface OracleMessage {
  new (message: object): { getBufferMessage(): Buffer }
}
const Oracle = createRequire(import.meta.url)('iso_8583') as OracleMessage

/** From the README of the package iso_8583. */
const EXAMPLE = {
  0: '0100',
  2: '4761739001010119',
  3: '000000',
  4: '000000005000',
  7: '0911131411',
  12: '131411',
  13: '0911',
  14: '2212',
  18: '4111',
  22: '051',
  23: '001',
  25: '00',
  26: '12',
  32: '423935',
  33: '111111111',
  35: '4761739001010119D22122011758928889',
  41: '12345678',
  42: 'MOTITILL_000001',
  43: 'My Termianl Business                    ',
  49: '404',
  52: '7434F67813BAE545',
  56: '1510',
  123: '91010151134C101',
  127: '000000800000000001927E1E5F7C0000000000000000500000000000000014A00000000310105C000128FF0061F379D43D5AEEBC8002800000000000000001E0302031F000203001406010A03A09000008CE0D0C840421028004880040417091180000014760BAC24959',
}

const REPEATS_MAX = 100
const MEGABYTE = 1024 * 1024

async function readyEngine(t: Teardown): Promise<TestEngine> {
  const engine = await startEngine(t)
  await pushConfig(engine)
  return engine
}

const decisions = async (engine: TestEngine) =>
  (await engine.entries()).filter((entry) => entry.kind === 'decision')

test('a purchase is approved over a link exactly as over HTTP', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const request = isoPurchase()
  const answer = await link.ask(request)
  const { 7: moment, 11: stan, 32: acquirer, 41: terminal, 63: ntx } = request.fields
  t.match(answer, {
    mti: '0110',
    fields: {
      4: '000000001000',
      7: moment,
      11: stan,
      32: acquirer,
      39: '00',
      41: terminal,
      63: ntx,
    },
  })
  t.match(answer.fields[38], /^\d{6}$/)
  t.equal(answer.fields[2], undefined, 'the number of the card does not come back')
  const [entry] = await decisions(engine)
  t.match(entry, {
    cvc: 'match',
    expiry: 'match',
    message: {
      kind: 'authorization',
      network: 'simnet',
      amountCents: 1000,
      currency: 'USD',
      merchantId: 'm-1',
      merchantName: 'Shop',
      city: 'Springfield',
      country: 'US',
      mcc: '5411',
      entryMethod: 'chip',
    },
    decision: { approved: true, authorizationCode: answer.fields[38] },
  })
  t.notOk(JSON.stringify(entry).includes(PAN))
})

test('a decline carries its response code, an unknown card 14', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const card = { pan: '9999990000000018', exp_month: 12, exp_year: 2034 }
  t.match(await link.ask(isoPurchase({ card })), { mti: '0110', fields: { 39: '14' } })
  const wrong = { pan: PAN, exp_month: 12, exp_year: 2034, cvc: '000' }
  const declined = await link.ask(isoPurchase({ card: wrong }))
  t.match(declined.fields, { 4: '000000001000', 38: undefined, 39: 'N7' })
  await engine
    .push({ type: 'network_key', id: 'nk_1', version: 2, deleted: true } as never)
    .catch(() => {})
})

test('sign-on, echo and sign-off are answered; no message is decided without a sign-on', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort, { signOn: false })
  t.match(await link.ask(management('301')), { mti: '0810', fields: { 39: '00', 70: '301' } })
  t.match(await link.ask(isoPurchase()), { mti: '0110', fields: { 39: '91' } })
  t.match(await link.ask(management('001')), { mti: '0810', fields: { 39: '00', 70: '001' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '00' } })
  t.match(await link.ask(management('002')), { mti: '0810', fields: { 39: '00', 70: '002' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '91' } })
  t.match(await link.ask(management('777')), { fields: { 39: '12' } })
  const { 70: _, ...rest } = management('301').fields
  t.match(await link.ask({ mti: '0800', fields: rest }), { fields: { 39: '30', 44: '070' } })
  t.equal((await decisions(engine)).length, 1)
})

test('an engine that is not ready answers 91, and accepts no sign-on', async (t) => {
  const engine = await startEngine(t)
  const link = await openLink(t, engine.isoPort, { signOn: false })
  t.match(await link.ask(management('001')), { mti: '0810', fields: { 39: '91' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '91' } })
  await pushConfig(engine)
  t.match(await link.ask(management('001')), { fields: { 39: '00' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '00' } })
})

test('a link with an unknown network key is told so', async (t) => {
  const engine = await startEngine(t, { iso: { networkKeyId: 'nk_other' } })
  await pushConfig(engine)
  const link = await openLink(t, engine.isoPort, { signOn: false })
  t.match(await link.ask(management('001')), { fields: { 39: '63' } })
})

test('a repeat gets the same bytes: at once, on another link, after a restart, with x1', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const request = isoPurchase()
  await link.ask(request)
  await link.ask(request)
  await link.ask(repeated(request))
  const another = await openLink(t, engine.isoPort)
  await another.ask(repeated(request))
  const again = await engine.restart()
  const later = await openLink(t, again.isoPort)
  await later.ask(repeated(request))
  const [, ...given] = [...link.answers, another.answers[1]!, later.answers[1]!]
  t.equal(given.length, 5)
  for (const answer of given) t.ok(answer.equals(given[0]!), answer.toString('latin1'))
  t.equal((await decisions(again)).length, 1)
})

test('the same message with another amount is 94, and the first one counts', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const request = isoPurchase()
  await link.ask(request)
  const changed = { ...repeated(request), fields: { ...request.fields, 4: '000000002000' } }
  t.match(await link.ask(changed), { mti: '0110', fields: { 38: undefined, 39: '94' } })
  t.match(await link.ask(repeated(request)), { fields: { 39: '00' } })
  t.equal((await decisions(engine)).length, 1)
})

test('a format error is 30 and names its field, and the link goes on', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const bad = async (change: IsoMessage['fields'], field: string) => {
    const request = isoPurchase()
    const answer = await link.ask({ ...request, fields: { ...request.fields, ...change } })
    t.match(answer, { mti: '0110', fields: { 39: '30', 44: field } })
  }
  await bad({ 49: '999' }, '049')
  await bad({ 48: '01003123' + '99001x' }, '048')
  await bad({ 43: 'Shop                     Portland     us' }, '043')
  await bad({ 63: PAN }, '063')
  await bad({ 7: '0101000000' }, '007')
  const { 49: _, ...fields } = isoPurchase().fields
  t.match(await link.ask({ mti: '0100', fields }), { fields: { 39: '30', 44: '049' } })
  const metrics = await (await fetch(engine.url + '/metrics')).text()
  t.match(metrics, /parameter_invalid"\} 5/)
  t.match(await link.ask(isoPurchase()), { fields: { 39: '00' } })
  t.equal((await decisions(engine)).length, 1)
})

test('the example message of an independent implementation gets a decision', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const message = (change: object) => new Oracle({ ...EXAMPLE, ...change }).getBufferMessage()
  const now = new Date().toISOString().replaceAll(/\D/g, '')
  const moment = now.slice(4, 14)
  const ask = async (change: object): Promise<IsoMessage> => {
    const count = link.answers.length
    link.write(message({ 7: moment, ...change }))
    await until(() => link.answers.length > count)
    return decodeMessage(link.answers.at(-1) as Buffer) as IsoMessage
  }
  t.match(
    await ask({}),
    { mti: '0110', fields: { 7: moment, 39: '14', 41: '12345678' } },
    'no card',
  )
  const track = PAN + 'D' + '34122011758928889'
  const ours = { 2: PAN, 14: '3412', 35: track, 41: 'OTHER001', 49: '840' }
  const answer = await ask(ours)
  t.match(answer, { mti: '0110', fields: { 41: 'OTHER001' } })
  t.not(answer.fields[39], '30')
  const entries = await decisions(engine)
  t.match(entries.at(-1), {
    message: { merchantId: 'MOTITILL_000001', country: 'ZZ', mcc: '4111' },
  })
  for (const secret of [PAN, '2011758928889']) t.notMatch(JSON.stringify(entries), secret)
})

/** The frame of a message with bytes changed after encoding. */
function spoiled(spoil: (bytes: Buffer) => Buffer): Buffer {
  return frameOf(spoil(Buffer.from(encodeMessage(isoPurchase()) as Buffer)))
}

function withField16(bytes: Buffer): Buffer {
  bytes[5]! |= 0x01
  return bytes
}

test('a broken message is answered 30 if its type can be read', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const cases: [string, Buffer][] = [
    ['cut', spoiled((bytes) => bytes.subarray(0, bytes.length - 1))],
    ['a byte too many', spoiled((bytes) => Buffer.concat([bytes, Buffer.from('x')]))],
    ['a bit without its field', spoiled(withField16)],
    ['only a type', frameOf(Buffer.from('0100'))],
  ]
  for (const [what, frame] of cases) {
    const before = link.answers.length
    link.write(frame)
    await until(() => link.answers.length > before)
    t.equal(link.answers.at(-1)!.toString('latin1', 0, 4), '0110', what)
    t.ok(link.answers.at(-1)!.includes('30'), what)
  }
  t.match(await link.ask(isoPurchase()), { fields: { 39: '00' } })
})

test('an unrequested answer is ignored silently', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  link.tell({ mti: '0110', fields: { 11: '000001', 39: '00' } })
  link.tell({ mti: '0810', fields: { 11: '000002', 39: '00' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '00' } })
  t.equal(link.answers.length, 2, 'the sign-on and the purchase')
})

test('an unanswerable frame ends its link, and only that one', async (t) => {
  const engine = await readyEngine(t)
  const good = await openLink(t, engine.isoPort)
  const cases: [string, Buffer][] = [
    ['an empty frame', Buffer.from([0, 0])],
    ['a frame of one byte', Buffer.from([0, 1, 0x30])],
    ['a frame of 65535 bytes', Buffer.from([0xff, 0xff, 0x30])],
    ['no message type', frameOf(Buffer.from('GET / HTTP/1.1\r\n\r\n'))],
  ]
  for (const [what, bytes] of cases) {
    const link = await openLink(t, engine.isoPort)
    link.write(bytes)
    await link.ended
    t.equal(link.answers.length, 1, what)
  }
  t.match(await good.ask(isoPurchase()), { fields: { 39: '00' } })
})

test('a message in pieces is one message, and two in one piece are two', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const frame = frameOf(encodeMessage(isoPurchase()) as Buffer)
  for (const byte of frame) {
    link.write(Buffer.from([byte]))
    await sleep(0)
  }
  await until(() => link.answers.length === 2)
  const two = [isoPurchase(), isoPurchase()].map((message) =>
    frameOf(encodeMessage(message) as Buffer),
  )
  link.write(Buffer.concat(two))
  await until(() => link.answers.length === 4)
  t.equal((await decisions(engine)).length, 3)
})

/** An engine whose program asks a tenant with this behaviour. */
async function askingEngine(t: Teardown, behave: () => Behaviour | Promise<Behaviour>) {
  const tenant = await startTenant({ behave, secrets: [TENANT_SECRET] })
  t.teardown(() => tenant.close())
  const engine = await startEngine(t, { budgetMs: 1000 })
  await pushConfig(engine, {
    program: { realtime: true, endpoint_id: 'we_1' },
    more: [endpointConfig(tenant.url)],
  })
  return { engine, tenant }
}

const yes: Behaviour = { kind: 'reply', body: '{"approve":true}' }

test('a thousand messages in flight on one link are answered once each, out of order', async (t) => {
  const { engine } = await askingEngine(t, async () => {
    await sleep(randomInt(1, 300))
    return yes
  })
  const link = await openLink(t, engine.isoPort)
  const requests = Array.from({ length: 1000 }, () => isoPurchase({ amount_cents: 1 }))
  const answers = await Promise.all(requests.map((request) => decided(link, request)))
  for (const [index, answer] of answers.entries())
    t.match(answer.fields, { 11: requests[index]!.fields[11], 39: '00' })
  const arrived = link.answers.map((bytes) => bytes.toString('latin1'))
  const places = requests.map((request) =>
    arrived.findIndex((text) => text.includes(request.fields[63]!)),
  )
  t.ok(
    places.some((place, index) => index > 0 && place < places[index - 1]!),
    'not in the order of asking',
  )
  t.equal((await decisions(engine)).length, 1000)
})

/**
 * The decision on a message, repeated as a network does while the engine answers 91: a busy disk is
 * no decision.
 */
async function decided(link: TestLink, request: IsoMessage): Promise<IsoMessage> {
  for (let repeats = 0; ; repeats++) {
    const answer = await link.ask(repeats === 0 ? request : repeated(request))
    if (answer.fields[39] !== '91' || repeats === REPEATS_MAX) return answer
    await sleep(randomInt(100, 300))
  }
}

test('a link cut during decisions loses the answers, and repeats get them', async (t) => {
  const held: (() => void)[] = []
  const { engine, tenant } = await askingEngine(
    t,
    () => new Promise((resolve) => held.push(() => resolve(yes))),
  )
  const link = await openLink(t, engine.isoPort)
  const requests = Array.from({ length: 50 }, () => isoPurchase({ amount_cents: 1 }))
  for (const request of requests) link.tell(request)
  await until(() => held.length === requests.length)
  link.close()
  const another = await openLink(t, engine.isoPort)
  const repeats = requests.map((request) => decided(another, repeated(request)))
  for (const release of held) release()
  for (const answer of await Promise.all(repeats)) t.match(answer.fields, { 39: '00' })
  t.equal(tenant.requests.length, requests.length, 'nobody was asked twice')
  t.equal((await decisions(engine)).length, requests.length)
  const codes = new Set((await decisions(engine)).map((entry) => entry.decision.authorizationCode))
  t.ok(codes.size > 40)
})

test('a message cut in the middle is not decided', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const frame = frameOf(encodeMessage(isoPurchase()) as Buffer)
  link.write(frame.subarray(0, frame.length - 1))
  link.socket.end()
  await link.ended
  const another = await openLink(t, engine.isoPort)
  await another.ask(isoPurchase())
  t.equal((await decisions(engine)).length, 1)
})

test('a network that does not read its answers is not read either, and nothing is lost', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  link.socket.pause()
  const echo = frameOf(encodeMessage(management('301')) as Buffer)
  const many = Buffer.concat(Array.from({ length: 500 }, () => echo))
  let echoes = 0
  // Writes until the buffers are full in both directions.
  while (link.socket.writableLength < 2 * MEGABYTE) {
    link.socket.write(many)
    echoes += 500
    await sleep(1)
  }
  await sleep(300)
  t.ok(link.socket.writableLength > MEGABYTE, 'the engine has stopped reading')
  const other = await openLink(t, engine.isoPort)
  t.match(await decided(other, isoPurchase()), { fields: { 39: '00' } }, 'the others go on')
  link.socket.resume()
  await until(() => link.answers.length === 1 + echoes)
})

test('an engine that stops signs off after its answers', async (t) => {
  const { engine } = await askingEngine(t, async () => {
    await sleep(150)
    return yes
  })
  const link = await openLink(t, engine.isoPort)
  const answer = link.ask(isoPurchase())
  await until(async () => (await engine.client.status()).ready)
  await sleep(50)
  await engine.stop()
  t.match((await answer).fields, { 39: '00' })
  await link.ended
})

test('every kind of message reaches the line unchanged over a link', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const original = isoPurchase({ amount_cents: 1000 })
  const ntx = original.fields[63]!
  t.match(await decided(link, original), { mti: '0110', fields: { 39: '00' } })
  const more = isoPurchase({
    kind: 'incremental',
    amount_cents: 500,
    original_network_transaction_id: ntx,
  })
  t.match(await decided(link, more), { mti: '0110', fields: { 4: '000000000500', 39: '00' } })
  const verification = isoPurchase({ kind: 'account_verification', amount_cents: 0 })
  t.match(await decided(link, verification), { mti: '0110', fields: { 39: '85' } })
  const advised = isoPurchase({
    kind: 'advice',
    amount_cents: 700,
    advice: { approved: true, decided_by: 'sponsor_bank', response_code: '00' },
  })
  t.match(await decided(link, advised), { mti: '0130', fields: { 39: '00' } })
  const back = isoPurchase({
    kind: 'reversal',
    amount_cents: 1500,
    network_transaction_id: ntx,
  })
  t.match(await decided(link, back), { mti: '0430', fields: { 39: '00' } })
  for (let repeat = 0; repeat < 5; repeat++)
    t.match(await decided(link, repeated(back)), { mti: '0430', fields: { 39: '00' } })
  const sums = (await decisions(engine)).map(({ message, decision, effect }) => [
    message.kind,
    decision.decidedBy,
    effect?.event ?? null,
    effect?.sums.reversed ?? null,
  ])
  t.same(sums, [
    ['authorization', 'static_controls', 'authorized', 0],
    ['incremental', 'static_controls', 'authorized', 0],
    ['account_verification', 'static_controls', 'authorized', 0],
    ['advice', 'sponsor_bank', 'authorized', 0],
    ['reversal', 'network', 'reversed', 1500],
  ])
})

test('a repeat without its first is recorded as one, and also answers the first', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const purchase = isoPurchase()
  const ntx = purchase.fields[63]!
  const back = isoPurchase({ kind: 'reversal', network_transaction_id: ntx })
  const advised = isoPurchase({ kind: 'advice', advice: { approved: true } })
  for (const first of [purchase, back, advised]) {
    t.match(await decided(link, repeated(first)), { fields: { 39: '00' } })
    t.match(await decided(link, first), { fields: { 39: '00' } })
    const [early, late] = link.answers.slice(-2)
    t.ok(early!.equals(late!), first.mti)
  }
  const told = (await decisions(engine)).map(({ message }) => [message.kind, message.isRepeat])
  t.same(told, [
    ['authorization', true],
    ['reversal', true],
    ['advice', true],
  ])
})

test('a refund sent as JSON waits for the 0100 that it names', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const purchase = isoPurchase({ amount_cents: 1000 })
  const original_network_transaction_id = purchase.fields[63]!
  const refund = { kind: 'refund' as const, amount_cents: 300, original_network_transaction_id }
  await engine.send(newMessage(refund))
  t.match(await decided(link, purchase), { mti: '0110', fields: { 39: '00' } })
  const [first, second] = await decisions(engine)
  t.equal(first?.transactionId, second?.transactionId)
  t.match(first?.effect, { sequence: 1, flags: ONLY_REFUNDS })
  t.match(second?.effect, { sequence: 2, flags: 0, sums: { authorized: 1000, refunded: 300 } })
})

test('a partial reversal by its replacement amount leaves the rest held', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  const original = isoPurchase({ amount_cents: 1000 })
  await decided(link, original)
  const replacement = '000000000400' + '0'.repeat(30)
  const back = isoPurchase(
    { kind: 'reversal', amount_cents: 1000, network_transaction_id: original.fields[63]! },
    { 95: replacement },
  )
  t.match(await decided(link, back), { mti: '0430', fields: { 39: '00' } })
  const latest = (await decisions(engine)).at(-1)
  t.match(latest, { message: { kind: 'reversal', amountCents: 600 } })
  t.match(latest?.effect?.sums, { authorized: 1000, reversed: 600 })
})

test('a balance is returned in field 54, in the card’s currency', async (t) => {
  const engine = await startEngine(t)
  const limits = [limitConfig({ amount_cents: 5000 as MinorUnits })]
  await pushConfig(engine, { more: [controlsConfig({ limits })] })
  const link = await openLink(t, engine.isoPort)
  const inquiry = isoPurchase({
    kind: 'balance_inquiry',
    amount_cents: 0,
    currency: 'EUR',
    billing: { amount_cents: 0, currency: 'USD' },
  })
  const answer = await decided(link, inquiry)
  t.match(answer, { mti: '0110', fields: { 39: '00', 54: '0002840C000000005000' } })
  t.same(await decided(link, repeated(inquiry)), answer)
})

test('a terminal that accepts a partial amount is told how much', async (t) => {
  const { engine } = await askingEngine(t, () => ({
    kind: 'reply',
    body: '{"approve":true,"approved_amount_cents":300}',
  }))
  const link = await openLink(t, engine.isoPort)
  const partly = isoPurchase({ partial_approval_capable: true })
  t.match(await decided(link, partly), { fields: { 4: '000000000300', 39: '10' } })
  t.match(await decided(link, isoPurchase()), { fields: { 4: '000000001000', 38: undefined } })
})

test('a load of the simulator goes through links, each message once', async (t) => {
  const engine = await readyEngine(t)
  const { id, token, currency, cardholder_id } = cardConfig()
  const known = { exp_month: 12, exp_year: 2034, cvc: '', pan: PAN }
  const report = await runLoad({
    target: targetOf(engine.url),
    credentials: { key_id: 'nk_1', secret: '' },
    iso: { host: '127.0.0.1', port: engine.isoPort },
    plainCards: [{ id, token, currency, cardholder_id, ...known }],
    realtimeCards: [],
    options: { ratePerS: 200, seconds: 1, connections: 3, realtimeShare: 0 },
    clock: systemClock,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  t.equal(report.answered, 200)
  t.equal(report.unanswered, 0)
  const approved = report.outcomes.find(({ outcome }) => outcome === 'approved')
  t.equal((await decisions(engine)).length, approved?.latency.count)
  t.same(
    report.outcomes.map(({ outcome }) => outcome).filter((outcome) => !/^(appr|ref)/.test(outcome)),
    [],
  )
})

test('both listeners recognise one message by one id', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  await link.ask(isoPurchase())
  const [entry] = await decisions(engine)
  const changed = newMessage({ id: entry!.message.id })
  const { text } = await engine.send(changed)
  t.match(JSON.parse(text), { response_code: '94', decline_reason: 'duplicate_mismatch' })
})

test('a revoked network key closes its links', async (t) => {
  const engine = await readyEngine(t)
  const link = await openLink(t, engine.isoPort)
  t.match(await decided(link, isoPurchase()), { fields: { 39: '00' } })
  await engine.push({ type: 'network_key', id: 'nk_1', version: 2, removed: true })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '63' } })
  t.match(await link.ask(management('001')), { fields: { 39: '63' } })
  t.match(await link.ask(isoPurchase()), { fields: { 39: '91' } })
})

/** The port's TLS with these rules for its clients; without rules, clients need no certificate. */
function tlsWith(clientRules: readonly ClientRule[] | null): Tls {
  return {
    certPath: '',
    keyPath: '',
    cert: SERVER_CERTIFICATE,
    key: NETWORK_KEY,
    clientCa: clientRules === null ? null : { path: '', pem: NETWORK_AUTHORITY },
    clientRules: clientRules ?? [],
  }
}

const trusting = { ca: NETWORK_AUTHORITY, servername: 'localhost' }
const showing = (cert: string) => ({ ...trusting, cert, key: NETWORK_KEY })

/** The end of a handshake: `signed on` with a working link, else the failure. */
async function outcome(t: Teardown, port: number, tls: ConnectionOptions): Promise<string> {
  try {
    await openLink(t, port, { tls })
    return 'signed on'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}

test('only a certificate of the authority gets a link, and the rules bind it to a key', async (t) => {
  const rules = [
    { keyId: 'nk_1', client: 'acquirer.test' },
    { keyId: 'nk_9', client: 'other.test' },
  ]
  const iso = { networkKeyId: null, tls: tlsWith(rules) }
  const engine = await startEngine(t, { iso })
  await pushConfig(engine)
  const link = await openLink(t, engine.isoPort, { tls: showing(CLIENT_CERTIFICATES.good) })
  t.match(await decided(link, isoPurchase()), { fields: { 39: '00' } })
  t.equal((await decisions(engine))[0]?.message.network, 'simnet')
  t.equal(
    await outcome(t, engine.isoPort, showing(CLIENT_CERTIFICATES.other)),
    'sign-on: 63',
    'a certificate for a key that is not ours',
  )
  for (const tls of [trusting, showing(CLIENT_CERTIFICATES.selfSigned)]) {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      t.not(await outcome(t, engine.isoPort, { ...tls, maxVersion }), 'signed on')
  }
  t.match(await link.ask(management('301')), { fields: { 39: '00' } }, 'the good link goes on')
})

test('a port for one key accepts the clients of its rules, or any of the authority', async (t) => {
  const cases: [readonly ClientRule[], good: boolean, other: boolean][] = [
    [[], true, true],
    [[{ keyId: 'nk_1', client: 'acquirer.test' }], true, false],
    [[{ keyId: 'nk_9', client: 'acquirer.test' }], true, true],
  ]
  for (const [rules, good, other] of cases) {
    const engine = await startEngine(t, { iso: { tls: tlsWith(rules) } })
    await pushConfig(engine)
    const signsOn = async (certificate: string): Promise<boolean> =>
      (await outcome(t, engine.isoPort, showing(certificate))) === 'signed on'
    t.equal(await signsOn(CLIENT_CERTIFICATES.good), good)
    t.equal(await signsOn(CLIENT_CERTIFICATES.other), other)
    await engine.stop()
  }
})

test('a client that the rules give to two keys, or to none, gets no link', (t) => {
  const certificate = new X509Certificate(CLIENT_CERTIFICATES.good)
  const client = (rules: readonly ClientRule[], nowMs = Date.now()) =>
    linkClient(tlsWith(rules), certificate, null, nowMs)
  const one = { keyId: 'nk_1', client: 'acquirer.test' }
  const untilMs = Date.parse(certificate.validTo)
  t.same(client([one]), { keyId: 'nk_1', untilMs })
  t.same(client([one, one]), { keyId: 'nk_1', untilMs })
  t.equal(client([one, { ...one, keyId: 'nk_2' }]), null)
  t.equal(client([{ ...one, client: 'else.test' }]), null)
  t.equal(client([]), null)
  t.equal(client([one], untilMs + 1), null, 'after its time')
  t.end()
})

test('TLS is 1.2 or 1.3, with authenticated encryption only', async (t) => {
  const engine = await startEngine(t, { iso: { tls: tlsWith(null) } })
  await pushConfig(engine)
  const cases: [ConnectionOptions, boolean][] = [
    [{}, true],
    [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }, true],
    [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' }, true],
    [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' }, false],
    [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA384' }, false],
    [{ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, false],
    [{ minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }, false],
  ]
  for (const [options, works] of cases) {
    const got = await outcome(t, engine.isoPort, { ...trusting, ...options })
    t.equal(got === 'signed on', works, JSON.stringify(options) + ' ' + got)
  }
  const plain = openLink(t, engine.isoPort)
  await t.rejects(plain, 'who speaks no TLS')
})
