// The process that drives PostgreSQL alone. Its parent orders it to make calls and then to send
// them; it answers each order once.
import { readFileSync } from 'node:fs'
import { newMessage } from '../../scripts/simulate/message.ts'
import { encodeId, randomSecret } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { READ_BUFFER, type StreamHandle, takeOver, write } from '../generator/stream.ts'
import { openLatency } from '../latency.ts'
import type { Order, Reply, Sent } from '../sender.ts'
import { requestOf } from './authorization-request.ts'
import type { Calls, Drive } from './postgres-driver.ts'
import { answerIn, callBytes, openWire } from './postgres-wire.ts'
import { AUTHORIZE, valuesOf } from './statement.ts'

const AMOUNT_CENTS = 100
/** As in bench/generator: neighbours are not neighbours in a file either. */
const STRIDE = 7919
const ANSWERS_MS_MAX = 20_000

let calls: Buffer[] = []

/** Makes and hashes the calls before the clock starts, so no hashing is measured. */
function makeCalls({ count, cardsFile, root }: Calls): Buffer[] {
  const cards = JSON.parse(readFileSync(cardsFile, 'utf8')) as NetworkMessage['card'][]
  const derivation = deriveKeys(Buffer.from(root, 'hex'), encodeId)
  const run = randomSecret(9)
  const now = Date.now()
  return Array.from({ length: count }, (_, at) => {
    const card = cards[(at * STRIDE) % cards.length] as NetworkMessage['card']
    const change = { id: 'msg_' + run + '_' + at, amount_cents: AMOUNT_CENTS }
    const authorization = requestOf(
      newMessage(card, { now, currency: 'USD' }, change),
      derivation,
      now,
    )
    if (authorization === null) throw new Error('a message is not decided by this peer')
    return callBytes(valuesOf(authorization))
  })
}

interface Wire {
  handle: StreamHandle
  sinceMs: number
}

/**
 * Connections stay open from one drive to the next, as those of a pool do, and keep their plans.
 */
const wires: Wire[] = []
let answered: (wire: Wire, count: number) => void = () => undefined

async function openWires(address: string, count: number): Promise<readonly Wire[]> {
  const missing = Math.max(0, count - wires.length)
  const sockets = await Promise.all(
    Array.from({ length: missing }, () => openWire(address, AUTHORIZE)),
  )
  for (const socket of sockets) {
    const wire: Wire = {
      handle: takeOver(socket, (bytes) => answered(wire, bytes)),
      sinceMs: 0,
    }
    wires.push(wire)
  }
  return wires.slice(0, count)
}

async function drive({ address, connections, seconds, warmSeconds }: Drive): Promise<Sent> {
  const [latency, lateness] = [openLatency(), openLatency()]
  const answers = { '200': 0, '500': 0 }
  const driven = await openWires(address, connections)
  const finished = Promise.withResolvers<void>()
  const startsMs = performance.now() + warmSeconds * 1000
  let endsMs = startsMs + seconds * 1000
  let [next, open, all] = [0, 0, 0]
  let cpu = process.cpuUsage()
  const call = (wire: Wire, now: number): void => {
    const bytes = calls[next++]
    if (bytes === undefined) {
      // No call is left: the drive is over as soon as the calls under way are answered, and was
      // shorter.
      endsMs = Math.min(endsMs, now)
      return
    }
    open += 1
    wire.sinceMs = now
    if (!write(wire.handle, bytes)) finished.reject(new Error('PostgreSQL closed a connection'))
  }
  answered = (wire, count) => {
    const state = answerIn(READ_BUFFER, count)
    if (count <= 0 || state === 'open')
      return finished.reject(new Error('PostgreSQL closed a connection, or said half of it'))
    const now = performance.now()
    open -= 1
    if (state === 'ok') all += 1
    if (wire.sinceMs >= startsMs && wire.sinceMs < endsMs) {
      answers[state === 'ok' ? '200' : '500'] += 1
      latency.record((now - wire.sinceMs) * 1000)
    }
    if (now < endsMs) call(wire, now)
    if (now >= endsMs && open === 0) finished.resolve()
  }
  const clock = setTimeout(() => {
    cpu = process.cpuUsage()
  }, warmSeconds * 1000)
  const late = setTimeout(
    () => finished.reject(new Error('answers of PostgreSQL are missing')),
    (warmSeconds + seconds) * 1000 + ANSWERS_MS_MAX,
  )
  try {
    for (const wire of driven) call(wire, performance.now())
    await finished.promise
    const { user, system } = process.cpuUsage(cpu)
    const lasted = (endsMs - startsMs) / 1000
    return {
      seconds: lasted,
      answers: Object.fromEntries(Object.entries(answers).filter(([, count]) => count > 0)),
      latency: latency.encoded(),
      lateness: lateness.encoded(),
      senderShare: (user + system) / 1e6 / lasted,
      all,
      missing: 0,
      unanswered: 0,
    }
  } finally {
    clearTimeout(clock)
    clearTimeout(late)
  }
}

async function obey(order: Order<Calls, Drive>): Promise<Reply> {
  if ('send' in order) return { sent: await drive(order.send) }
  calls = []
  calls = makeCalls(order.make)
  return { made: calls.length }
}

process.on('message', (order) => {
  obey(order as Order<Calls, Drive>).then(
    (reply) => process.send?.(reply),
    (error) => process.send?.({ failed: String(error) } satisfies Reply),
  )
})
// Open connections would hold us.
process.once('disconnect', () => process.exit())
