// Requests that are refused before anything is decided. A refusal stores nothing: where the message
// itself was fine, the same one is decided afresh when it comes back properly signed.
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../../shared/limits.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import { approved } from '../expected.ts'
import { requestBytes, requestHead, targetOf } from '../message.ts'
import type { Answered } from '../network.ts'
import { describeExchange } from '../network.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { MALFORMED_FIELDS } from './malformed-fields.ts'

const MINUTE_S = 60
const HOUR_MS = 3_600_000

interface Refusal {
  status: number
  code: string
  param?: string | null
}

interface RefusedRow extends Refusal {
  name: string
  story: string
  /** The request, from a message that would be approved. */
  request(stage: Stage, message: NetworkMessage): Buffer
}

const ROWS: readonly RefusedRow[] = [
  {
    name: 'refuse_bad_signature',
    story: 'A signature by another secret is refused.',
    status: 401,
    code: 'invalid_signature',
    request: (stage, message) => signedBy(stage, message, { secret: 'nsec_nobody' }),
  },
  {
    name: 'refuse_changed_body',
    story: 'A body that was changed after it was signed is refused.',
    status: 401,
    code: 'invalid_signature',
    request(stage, message) {
      const bytes = signedBy(stage, message)
      return Buffer.from(bytes.toString('latin1').replace('"USD"', '"EUR"'), 'latin1')
    },
  },
  {
    name: 'refuse_missing_signature',
    story: 'A message without a signature is refused.',
    status: 401,
    code: 'malformed_header',
    request: (stage, message) => requestBytes(target(stage), JSON.stringify(message), []),
  },
  {
    name: 'refuse_stale_signature',
    story: 'A signature of six minutes ago is refused: it could be a recording.',
    status: 401,
    code: 'timestamp_out_of_tolerance',
    request: (stage, message) => signedBy(stage, message, { ageS: 6 * MINUTE_S }),
  },
  {
    name: 'refuse_two_signatures',
    story: 'Two signature headers are refused, also when both are right.',
    status: 400,
    code: 'header_duplicated',
    request(stage, message) {
      const body = JSON.stringify(message)
      const signature = signatureFor(stage, body)
      return requestBytes(target(stage), body, [
        ['Svc-Signature', signature],
        ['Svc-Signature', signature],
      ])
    },
  },
  {
    name: 'refuse_chunked',
    story: 'A chunked body is refused: its length must be known ahead.',
    status: 411,
    code: 'length_required',
    request: chunked,
  },
]

export const REFUSED_INPUT: readonly Scenario[] = [
  {
    name: 'two_secrets',
    story:
      'During a rotation a message is signed with both secrets: one that we know is enough, in either order.',
    covers: [52],
    play: playTwoSecrets,
  },
  ...ROWS.map((row) => ({
    name: row.name,
    story: row.story,
    async play(stage: Stage) {
      const message = stage.message(stage.card('scenario_plain'))
      checkRefused(stage, row.name, await stage.sendBytes(row.request(stage, message)), row)
      await stage.authorize(message, approved())
    },
  })),
  {
    name: 'refuse_stale_message',
    story: 'A message sent a day ago, or far ahead of time, is refused and never decided.',
    play: playStale,
  },
  {
    name: 'refuse_malformed_field',
    story: 'A malformed field is refused by name.',
    play: playMalformed,
  },
  {
    name: 'refuse_oversized',
    story: 'A body of 16 KB is taken, one byte more is refused.',
    play: playOversized,
  },
  {
    name: 'refuse_two_lengths',
    story: 'Two Content-Length headers are refused: they could mean two messages.',
    play: playTwoLengths,
  },
]

async function playTwoSecrets(stage: Stage): Promise<void> {
  const { secret } = stage.surroundings.sandbox.network
  const sign = (body: string, secrets: readonly string[]): Buffer => {
    const signature = signatureHeader(secrets, unixSeconds(stage.clock.nowMs()), body)
    return requestBytes(target(stage), body, [['Svc-Signature', signature]])
  }
  for (const secrets of [
    ['nsec_of_tomorrow', secret],
    [secret, 'nsec_of_yesterday'],
  ]) {
    const message = stage.message(stage.card('scenario_plain'))
    const answered = await stage.sendBytes(sign(JSON.stringify(message), secrets))
    await stage.checkAnswered(message, answered, approved())
  }
  const body = JSON.stringify(stage.message(stage.card('scenario_plain')))
  const refused = await stage.sendBytes(sign(body, ['nsec_of_tomorrow', 'nsec_of_yesterday']))
  checkRefused(stage, 'two unknown secrets', refused, { status: 401, code: 'invalid_signature' })
}

async function playStale(stage: Stage): Promise<void> {
  const card = stage.card('scenario_plain')
  const now = stage.clock.nowMs()
  for (const offsetMs of [-25 * HOUR_MS, HOUR_MS / 2]) {
    const message = stage.message(card, { transmitted_at: isoInstant(now + offsetMs) })
    checkRefused(stage, 'transmitted_at ' + message.transmitted_at, await stage.send(message), {
      status: 400,
      code: 'message_stale',
      param: 'transmitted_at',
    })
  }
}

async function playMalformed(stage: Stage): Promise<void> {
  const message = stage.message(stage.card('scenario_plain'))
  for (const { param, code, break: breakField } of MALFORMED_FIELDS) {
    const body = JSON.stringify(breakField(message))
    const answered = await stage.sendBytes(
      requestBytes(target(stage), body, [['Svc-Signature', signatureFor(stage, body)]]),
    )
    checkRefused(stage, 'malformed ' + param, answered, { status: 400, code, param })
  }
  const text = '{"id":'
  const answered = await stage.sendBytes(
    requestBytes(target(stage), text, [['Svc-Signature', signatureFor(stage, text)]]),
  )
  checkRefused(stage, 'half a JSON text', answered, { status: 400, code: 'invalid_json' })
  await stage.authorize(message, approved())
}

async function playOversized(stage: Stage): Promise<void> {
  const message = stage.message(stage.card('scenario_plain'))
  const padded = (bytes: number): Buffer => {
    const body = JSON.stringify(message).padEnd(bytes, ' ')
    return requestBytes(target(stage), body, [['Svc-Signature', signatureFor(stage, body)]])
  }
  const refused = await stage.sendBytes(padded(NETWORK_BODY_BYTES_MAX + 1))
  checkRefused(stage, 'one byte too many', refused, { status: 413, code: 'payload_too_large' })
  const taken = await stage.sendBytes(padded(NETWORK_BODY_BYTES_MAX))
  await stage.checkAnswered(message, taken, approved())
}

async function playTwoLengths(stage: Stage): Promise<void> {
  const message = stage.message(stage.card('scenario_plain'))
  const body = JSON.stringify(message)
  const { exchange } = await stage.sendBytes(
    requestBytes(target(stage), body, [
      ['Content-Length', '2'],
      ['Svc-Signature', signatureFor(stage, body)],
    ]),
  )
  // The server may also drop such a connection without a word.
  if (exchange.kind === 'response' && exchange.status !== 400)
    stage.note('expected 400 or a closed connection, got ' + describeExchange(exchange))
  await stage.authorize(message, approved())
}

function checkRefused(stage: Stage, what: string, answered: Answered, expected: Refusal): void {
  const { exchange, body } = answered
  if (exchange.kind === 'broken') {
    stage.note(what + ': expected HTTP ' + expected.status + ', got ' + exchange.problem)
    return
  }
  const { status, code, param } = expected
  stage.check(
    what,
    { status, error: { code, ...(param === undefined ? {} : { param }) } },
    { status: exchange.status, error: errorIn(body) },
  )
}

function errorIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()).error
  } catch {
    // The check then shows the text that is not an error object.
    return body.toString('utf8', 0, 300)
  }
}

function target(stage: Stage) {
  return targetOf(stage.surroundings.sandbox.engine_url)
}

function signatureFor(stage: Stage, body: string): string {
  const { secret } = stage.surroundings.sandbox.network
  return signatureHeader([secret], unixSeconds(stage.clock.nowMs()), body)
}

function signedBy(
  stage: Stage,
  message: NetworkMessage,
  signer: { secret?: string; ageS?: number } = {},
): Buffer {
  const { network } = stage.surroundings.sandbox
  const body = JSON.stringify(message)
  const timestamp = unixSeconds(stage.clock.nowMs()) - (signer.ageS ?? 0)
  return requestBytes(target(stage), body, [
    ['Svc-Signature', signatureHeader([signer.secret ?? network.secret], timestamp, body)],
    ['Svc-Key-Id', network.key_id],
  ])
}

function chunked(stage: Stage, message: NetworkMessage): Buffer {
  const body = JSON.stringify(message)
  return Buffer.from(
    requestHead(target(stage)) +
      'Transfer-Encoding: chunked\r\nSvc-Signature: ' +
      signatureFor(stage, body) +
      '\r\n\r\n' +
      Buffer.byteLength(body).toString(16) +
      '\r\n' +
      body +
      '\r\n0\r\n\r\n',
  )
}
