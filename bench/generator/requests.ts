// Makes the requests of a generator: whole requests, made before the clock starts. Messages of a
// card network are built and signed here, in the generator's own process, because a million of them
// would not pass through a channel between processes.
import { createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isoFrame } from '../../scripts/simulate/iso-link.ts'
import { isoRequest } from '../../scripts/simulate/iso-request.ts'
import { type NetworkCredentials, newMessage, requestHead } from '../../scripts/simulate/message.ts'
import { assert } from '../../shared/assert.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { randomSecret } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'

/**
 * Authorizations with ids of their own, card after card, signed now: they hold for five minutes.
 */
export interface NetworkMessages {
  kind: 'network'
  count: number
  /** JSON: an array of `card` as the messages carry them. */
  cardsFile: string
  credentials: NetworkCredentials
  /**
   * Seconds over which the requests are made, a few at a time, so their making takes no processor
   * from a measurement meanwhile. At once by default.
   */
  overSeconds?: number
  /** As frames of ISO 8583 links instead of signed HTTP. */
  iso?: boolean
  /** The fields that differ from an everyday purchase of one unit. */
  change?: Partial<Omit<NetworkMessage, 'card' | 'id'>>
}

/** Requests as they are, for any server that speaks HTTP/1.1. */
export interface WholeRequests {
  kind: 'whole'
  requests: readonly string[]
}

export type Requests = NetworkMessages | WholeRequests

const BLOCK_BYTES = 4 * 1024 * 1024
/** Messages made in a row where there is time: less than half a millisecond. */
const PIECE = 50
const CURRENCY = 'USD'
const AMOUNT_CENTS = 100
/**
 * Coprime to every even number of cards, so that neighbours are not neighbours in a file either.
 */
const STRIDE = 7919

/** All of them, in the order in which they leave. */
export function makeRequests(requests: Requests): Buffer[] {
  return [...packed(requests)]
}

/** The same, at the pace the order asks for. */
export async function makeInTime(requests: Requests): Promise<Buffer[]> {
  const everyMs =
    requests.kind === 'network' ? ((requests.overSeconds ?? 0) * 1000) / requests.count : 0
  const begunMs = performance.now()
  const all: Buffer[] = []
  for (const request of packed(requests)) {
    const aheadMs = begunMs + all.push(request) * everyMs - performance.now()
    if (aheadMs > 0 && all.length % PIECE === 0) await sleep(aheadMs)
  }
  return all
}

function networkMessages(plan: NetworkMessages): (at: number) => Buffer {
  const cards = readCards(plan.cardsFile)
  const run = randomSecret(9)
  const now = systemClock.nowMs()
  const unix = Math.floor(now / 1000)
  const key = createSecretKey(Buffer.from(plan.credentials.secret))
  const change = { amount_cents: AMOUNT_CENTS, ...plan.change, id: MARK }
  const parts = partsOf(newMessage({ token: MARK }, { now, currency: CURRENCY }, change))
  const target = { host: '127.0.0.1', port: 1 }
  const head = requestHead(target) + 'Svc-Key-Id: ' + plan.credentials.key_id + '\r\n'
  return (at) => {
    const id = run + '_' + at
    const card = cards[(at * STRIDE) % cards.length] as string
    const body = parts[0] + id + parts[1] + id + parts[2] + card + parts[3]
    const signature = signatureHeader([key], unix, body)
    return Buffer.from(
      head +
        'Content-Length: ' +
        body.length +
        '\r\nSvc-Signature: ' +
        signature +
        '\r\n\r\n' +
        body,
      'latin1',
    )
  }
}

/** STANs have six digits: each million of messages has a terminal of its own. */
const STANS = 1_000_000
/** No range of card numbers begins with it. */
const ACQUIRER = '12345678901'

/** The same messages as frames. */
function isoMessages(plan: NetworkMessages): (at: number) => Buffer {
  const cards = readCards(plan.cardsFile).map((card) => JSON.parse(card) as NetworkMessage['card'])
  const run = randomSecret(4)
  const now = systemClock.nowMs()
  return (at) => {
    const id = 'msg_' + run + '_' + at
    const change = { amount_cents: AMOUNT_CENTS, ...plan.change, id }
    const card = cards[(at * STRIDE) % cards.length] ?? {}
    const message = newMessage(card, { now, currency: CURRENCY }, change)
    const stan = String(1 + (at % (STANS - 1))).padStart(6, '0')
    const terminal = run.slice(0, 4) + Math.floor(at / (STANS - 1))
    const request = isoRequest(message, { stan, acquirer: ACQUIRER, terminal })
    if (request === null) throw new Error('a load sends authorizations only')
    return isoFrame(request)
  }
}

/** Marks the place of the changing part of an id, and of a card. */
const MARK = 'msg_@'

/**
 * The text of a message around its changing parts: the network's id of its transaction, its own id
 * and its card.
 */
function partsOf(message: NetworkMessage): readonly [string, string, string, string] {
  const text = JSON.stringify(message)
  const parts = text.split(/(?<="(?:ntx|msg)_)@|\{"token":"msg_@"\}/)
  const [first, second, third, last] = parts
  assert(parts.length === 4, 'a message names its transaction, itself and its card')
  assert(Buffer.byteLength(text) === text.length, 'a message of a load is ASCII')
  return [first ?? '', second ?? '', third ?? '', last ?? '']
}

const cardsRead = new Map<string, readonly string[]>()

/** The JSON of each. A file is written once by its stand. */
function readCards(file: string): readonly string[] {
  const known = cardsRead.get(file)
  if (known !== undefined) return known
  const written = JSON.parse(readFileSync(file, 'utf8')) as NetworkMessage['card'][]
  const cards = written.map((card) => JSON.stringify(card))
  if (cards.length === 0) throw new Error(file + ' names no card')
  cardsRead.set(file, cards)
  return cards
}

/**
 * Few large blocks instead of many small ones: the collector has nothing to do while the clock
 * runs.
 */
function* packed(requests: Requests): Generator<Buffer> {
  const make = makerOf(requests)
  const count = requests.kind === 'whole' ? requests.requests.length : requests.count
  let block = Buffer.alloc(0)
  let used = 0
  for (let at = 0; at < count; at++) {
    const bytes = make(at)
    if (used + bytes.length > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes.length))
      used = 0
    }
    used += bytes.copy(block, used)
    yield block.subarray(used - bytes.length, used)
  }
}

function makerOf(requests: Requests): (at: number) => Buffer {
  if (requests.kind === 'network')
    return requests.iso === true ? isoMessages(requests) : networkMessages(requests)
  return (at) => Buffer.from(requests.requests[at] ?? '')
}
