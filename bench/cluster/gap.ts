// The time without an answer at the front door while the owner of a shard ends: messages leave at a
// steady rate, each once, whatever became of those before, and the longest pause between two
// answers counts.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { sleep } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { newMessage } from '../../test/harness/engine.ts'
import type { NetworkMessages } from '../generator/requests.ts'

const PER_SECOND = 200
const BEFORE_MS = 1000
const AFTER_MS = 2500
/** The network declines, or asks its stand-in, after this. Spec 8. */
const ANSWER_MS_MAX = 1500

export interface Gap {
  /** The longest time between two answers, milliseconds. */
  gapMs: number
  sent: number
  /** Messages that were not answered with a decision within 1.5 s. */
  late: number
}

/** Sends at the rate, does `harm` in the middle, and waits for every answer. */
export async function measureGap(
  port: number,
  messages: NetworkMessages,
  harm: () => Promise<unknown>,
): Promise<Gap> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
  const cards = JSON.parse(readFileSync(messages.cardsFile, 'utf8')) as { token: string }[]
  const answeredAt: number[] = []
  const open: Promise<boolean>[] = []
  const startedAt = performance.now()
  const total = (PER_SECOND * (BEFORE_MS + AFTER_MS)) / 1000
  let harmed: Promise<unknown> | null = null
  for (let sent = 0; sent < total; ) {
    const elapsed = performance.now() - startedAt
    if (elapsed > BEFORE_MS && harmed === null) {
      harmed = harm()
      // Told below, once every message had its time.
      harmed.catch(() => undefined)
    }
    for (; sent < Math.min(total, (elapsed * PER_SECOND) / 1000); sent++) {
      const card = cards[sent % cards.length] ?? { token: '' }
      open.push(deliver({ agent, port, secret: messages.credentials.secret }, card, answeredAt))
    }
    await sleep(1)
  }
  const inTime = await Promise.all(open)
  await harmed
  agent.destroy()
  answeredAt.sort((one, other) => one - other)
  const pauses = answeredAt.slice(1).map((at, index) => at - (answeredAt[index] ?? at))
  return {
    gapMs: Math.max(0, ...pauses),
    sent: total,
    late: inTime.filter((good) => !good).length,
  }
}

function deliver(
  to: { agent: Agent; port: number; secret: string },
  card: { token: string },
  answeredAt: number[],
): Promise<boolean> {
  const body = JSON.stringify(newMessage({ card, amount_cents: 1 }))
  const signed = signatureHeader([to.secret], Math.floor(Date.now() / 1000), body)
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const sent = request(
      {
        agent: to.agent,
        port: to.port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/network/messages',
        headers: { 'svc-signature': signed, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.resume()
        response.on('end', () => {
          const now = performance.now()
          if (response.statusCode === 200) answeredAt.push(now)
          resolve(response.statusCode === 200 && now - sentAt <= ANSWER_MS_MAX)
        })
      },
    )
    sent.on('error', () => resolve(false))
    sent.end(body)
  })
}
