// The same network over ISO 8583 links. HTTP finds each decision by the same id: one authorization
// line behind two ports.
import { randomSecret } from '../../../shared/id.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import { decodeMessage, type IsoMessage } from '../../../shared/wire/iso8583/codec.ts'
import type { Fields } from '../../../shared/wire/iso8583/fields.ts'
import { frameOf } from '../../../shared/wire/iso8583/framing.ts'
import { after, approves } from '../behaviour.ts'
import { approved } from '../expected.ts'
import { type IsoExchange, IsoLink, isoFrame } from '../iso-link.ts'
import { isoMessageId, isoRequest, repeated, type Trace } from '../iso-request.ts'
import { byPan } from '../message.ts'
import type { Answered } from '../network.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const REPEATS = 5
const FUZZED = 300
/** Field 42 has fifteen characters at most. */
const MERCHANT_ID = 'merch_sim_iso'
const ACQUIRER = '99999900002'

export const ISO8583: readonly Scenario[] = [
  {
    name: 'iso_purchase',
    story: 'A purchase over an ISO 8583 link is decided like any other, and HTTP knows its id.',
    async play(stage) {
      const card = stage.card('scenario_plain')
      const purchase = isoMessage(stage.message(card, { card: byPan(card) }))
      const link = await linkOn(stage)
      const answer = await ask(stage, link, purchase.request)
      stage.check('answer', { 4: purchase.request.fields[4], 39: '00' }, answer.fields)
      const known = await stage.send(purchase.message)
      stage.check('code', answer.fields[38], known.answer?.authorization_code)
      await stage.checkAnswered(purchase.message, known, approved())
    },
  },
  {
    name: 'iso_network_management',
    covers: [57],
    story: 'Sign-on, echo and sign-off are answered; before and after, nothing is decided.',
    play: playManagement,
  },
  {
    name: 'iso_repeat',
    covers: [20],
    story: 'A 0100 repeated as 0101, on the same link and on another, gets the identical answer.',
    async play(stage) {
      const { message, request } = isoMessage(plainMessage(stage))
      const bytes = await playRepeats(stage, request)
      stage.check('code', '00', codeIn(bytes))
      await stage.checkAnswered(message, await stage.send(message), approved())
    },
  },
  {
    name: 'iso_repeat_changed',
    covers: [21],
    story: 'A 0101 with another amount is 94; the original stands.',
    async play(stage) {
      const { message, request } = isoMessage(plainMessage(stage))
      const link = await linkOn(stage)
      stage.check('answer', { 39: '00' }, (await ask(stage, link, request)).fields)
      const other = { ...repeated(request), fields: { ...request.fields, 4: '000000009999' } }
      stage.check('changed', { 39: '94' }, (await ask(stage, link, other)).fields)
      stage.check('again', { 39: '00' }, (await ask(stage, link, repeated(request))).fields)
      await stage.checkAnswered(message, await stage.send(message), approved())
    },
  },
  {
    name: 'iso_reversal_repeats',
    covers: [22],
    story: 'A reversal sent once as 0420 and five times as 0421 gives the amount back once.',
    play: playReversal,
  },
  {
    name: 'iso_link_drop',
    covers: [58],
    story:
      'A link that drops inside a message decides nothing; one that drops before the answer loses only the answer.',
    play: playLinkDrop,
  },
  {
    name: 'iso_fuzzed_bitmaps',
    covers: [59],
    story:
      'Messages with random bitmaps are format errors or end their link, and are never decided.',
    play: playFuzzed,
  },
]

interface Sent {
  /** As HTTP would carry it, with the id that the engine makes of the fields. */
  message: NetworkMessage
  request: IsoMessage
}

function plainMessage(stage: Stage): NetworkMessage {
  return stage.message(stage.card('scenario_plain'))
}

function newTrace(): Trace {
  const stan = String(Buffer.from(randomSecret(4), 'base64url').readUInt32BE() % 1_000_000)
  return { stan: stan.padStart(6, '0'), acquirer: ACQUIRER, terminal: randomSecret(6) }
}

/** The message in fields, under a STAN of its own. */
function isoMessage(message: NetworkMessage): Sent {
  const trace = newTrace()
  // Fields have no fractions of a second, and the id is made of fields.
  const transmittedAt = message.transmitted_at.replace(/\.\d+Z$/, '.000Z')
  const merchant = { ...message.merchant, id: MERCHANT_ID }
  const whole = { ...message, merchant, transmitted_at: transmittedAt }
  const request = isoRequest(whole, trace)
  if (request === null) throw new Error('no ISO 8583 message for ' + message.kind)
  return { message: { ...whole, id: isoMessageId(request.mti, transmittedAt, trace) }, request }
}

/** A link that is signed on, and is closed when the scenario ends. */
async function linkOn(stage: Stage): Promise<IsoLink> {
  const link = newLink(stage)
  if (!(await link.signOn())) throw new Error('the ISO 8583 port takes no sign-on')
  return link
}

function newLink(stage: Stage): IsoLink {
  const address = stage.surroundings.sandbox.engine_iso
  if (!address) throw new Error('the service has no ISO 8583 port open')
  const link = new IsoLink(address)
  stage.afterwards(async () => link.close())
  return link
}

async function ask(stage: Stage, link: IsoLink, message: IsoMessage): Promise<IsoMessage> {
  const exchange = await link.ask(message)
  if (exchange.kind === 'iso') return exchange.message
  stage.note('no answer to a ' + message.mti + ': ' + exchange.problem)
  return { mti: '0110', fields: {} }
}

function codeIn(exchange: IsoExchange): string | undefined {
  return exchange.kind === 'iso' ? exchange.message.fields[39] : exchange.problem
}

/** The first answer, after every repeat got the same bytes. */
async function playRepeats(stage: Stage, request: IsoMessage): Promise<IsoExchange> {
  const links = [await linkOn(stage), await linkOn(stage)] as const
  const first = await links[0].ask(request)
  for (let repeat = 1; repeat <= REPEATS; repeat++) {
    const again = await links[repeat % 2 === 0 ? 0 : 1].ask(repeated(request))
    const same = first.kind === 'iso' && again.kind === 'iso' && again.bytes.equals(first.bytes)
    if (!same) stage.note('repeat ' + repeat + ' got another answer')
  }
  return first
}

async function playManagement(stage: Stage): Promise<void> {
  const link = newLink(stage)
  if (!(await link.open())) throw new Error('nobody is at the ISO 8583 port')
  const manage = async (code: string, expected: string): Promise<void> => {
    const fields: Fields = { 7: '0101000000', 11: newTrace().stan, 70: code }
    const answer = await ask(stage, link, { mti: '0800', fields })
    stage.check('0800 ' + code, { mti: '0810', fields: { 39: expected, 70: code } }, answer)
  }
  const buy = async (expected: string): Promise<void> => {
    const { request } = isoMessage(plainMessage(stage))
    stage.check('purchase', { 39: expected }, (await ask(stage, link, request)).fields)
  }
  await manage('301', '00')
  await buy('91')
  await manage('001', '00')
  await buy('00')
  await manage('301', '00')
  await manage('999', '12')
  await manage('002', '00')
  await buy('91')
}

async function playReversal(stage: Stage): Promise<void> {
  const { message, request } = isoMessage(plainMessage(stage))
  const link = await linkOn(stage)
  stage.check('answer', { 39: '00' }, (await ask(stage, link, request)).fields)
  const reversal = isoMessage({ ...message, kind: 'reversal' })
  stage.check('code', '00', codeIn(await playRepeats(stage, reversal.request)))
  const known: Answered = await stage.send(message)
  const id = known.answer?.transaction_id ?? ''
  const transaction = await stage.api.transaction(id, ({ status }) => status === 'reversed')
  stage.check('transaction', { id, status: 'reversed' }, transaction)
  stage.check(
    'events',
    ['card.transaction.reversed', 'card.transaction.authorized'],
    (await stage.api.events(id)).map((event) => event['type']),
  )
}

async function playLinkDrop(stage: Stage): Promise<void> {
  const cut = isoMessage(plainMessage(stage))
  const dropped = await linkOn(stage)
  const frame = isoFrame(cut.request)
  const nothing = dropped.askBytes(frame.subarray(0, frame.length - 1))
  dropped.close()
  stage.check('a message cut short', 'broken', (await nothing).kind)

  const tenant = await stage.tenant()
  const asked = isoMessage(stage.message(stage.card('scenario_realtime')))
  tenant.behave(asked.message.id, after(400, approves))
  const lost = await linkOn(stage)
  const unanswered = lost.ask(asked.request)
  await tenant.whenAsked(asked.message.id)
  lost.close()
  stage.check('an answer to a link that is gone', 'broken', (await unanswered).kind)
  const again = await linkOn(stage)
  const answer = await ask(stage, again, repeated(asked.request))
  stage.check('the repeat', { 39: '00' }, answer.fields)
  stage.check('times the tenant was asked', 1, tenant.askedAbout(asked.message.id))
  await stage.checkAnswered(
    asked.message,
    await stage.send(asked.message),
    approved({ decidedBy: 'tenant' }),
  )
  // Were the first one decided, this would be its repeat.
  stage.check('the cut message, whole', { 39: '00' }, (await ask(stage, again, cut.request)).fields)
}

async function playFuzzed(stage: Stage): Promise<void> {
  let link = await linkOn(stage)
  let [refused, ended] = [0, 0]
  for (let count = 0; count < FUZZED; count++) {
    const { request } = isoMessage(plainMessage(stage))
    const content = isoFrame(request).subarray(2)
    const bitmap = Buffer.from(randomSecret(count % 2 === 0 ? 8 : 1), 'base64url')
    bitmap.copy(content, 4 + (bitmap.length === 1 ? count % 8 : 0))
    const exchange = await link.askBytes(frameOf(content))
    if (exchange.kind === 'broken') {
      ended++
      link = await linkOn(stage)
      continue
    }
    const code = exchange.message.fields[39]
    if (code === '30') refused++
    // A bitmap changed in one byte may be the one it was, or name another field of the same length.
    else if ('reason' in decodeMessage(content)) stage.note('a random bitmap was answered ' + code)
  }
  if (refused < FUZZED / 2) stage.note('only ' + refused + ' random bitmaps were format errors')
  stage.check('links that ended', 0, ended)
  const { request } = isoMessage(plainMessage(stage))
  stage.check('afterwards', { 39: '00' }, (await ask(stage, link, request)).fields)
}
