// The network before a shard: it sends each message until it is answered, to whichever of its ports
// answers, and repeats all of them in the end.
import { Agent, request } from 'node:http'
import { sleep, systemClock } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { NETWORK_SECRET, newMessage } from './engine.ts'
import type { Teardown } from './postgres.ts'

/** From a refusal or a broken connection to the next try. */
const AGAIN_MS = 20
/**
 * From an answer to the lane's next message: lanes without a pause take both processors from the
 * members that the test waits for.
 */
const PAUSE_MS = 20
const agent = new Agent({ keepAlive: true, maxSockets: 2048 })

export interface NetworkReply {
  status: number
  text: string
}

/** Sends a signed message once; null where the connection broke or no answer came in time. */
export function sendOnce(
  port: number,
  body: string,
  waitMsMax = 2000,
): Promise<NetworkReply | null> {
  const signed = signatureHeader([NETWORK_SECRET], Math.floor(systemClock.nowMs() / 1000), body)
  return new Promise((resolve) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/v1/network/messages',
        headers: { 'svc-signature': signed, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('error', () => resolve(null))
        response.on('close', () =>
          resolve(response.complete ? { status: response.statusCode ?? 0, text } : null),
        )
      },
    )
    sent.setTimeout(waitMsMax, () => sent.destroy())
    sent.on('error', () => resolve(null))
    sent.end(body)
  })
}

/** Every answer that a message got, in order. */
export interface Sent {
  id: string
  body: string
  answers: string[]
}

/** A message with the time of its making, as bytes that never change. */
export function newBody(change: Parameters<typeof newMessage>[0] = {}): {
  id: string
  body: string
} {
  const message = newMessage(change)
  return { id: message.id, body: JSON.stringify(message) }
}

export class Network {
  readonly sent: Sent[] = []
  /** Answers other than 200, by status. */
  readonly refused = new Map<number, number>()
  /** Where messages go, most promising first. */
  readonly #ports: () => readonly number[]
  /** The port that answered last. */
  #good = 0
  #running = true
  #over = false
  #lanes: Promise<void>[] = []

  /** The network falls silent with the test, also where it failed. */
  constructor(t: Teardown, ports: () => readonly number[]) {
    this.#ports = ports
    t.teardown(() => {
      this.#over = true
    })
  }

  get answered(): number {
    return this.sent.filter(({ answers }) => answers.length > 0).length
  }

  /**
   * Sends one message after the other in each lane, each until it is answered. A pause of 0 is for
   * tests that wait for many entries.
   */
  start(lanes: number, pauseMs = PAUSE_MS): void {
    this.#lanes = Array.from({ length: lanes }, async () => {
      while (this.#running && !this.#over) {
        await this.deliver(newBody())
        if (pauseMs > 0) await sleep(pauseMs)
      }
    })
  }

  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#lanes)
  }

  async deliver({ id, body }: { id: string; body: string }): Promise<Sent> {
    const sent: Sent = { id, body, answers: [] }
    this.sent.push(sent)
    await this.repeat(sent)
    return sent
  }

  /** Sends a message until it is answered. */
  async repeat(sent: Sent): Promise<void> {
    while (!this.#over) {
      const ports = this.#ports()
      const port = ports[this.#good % ports.length] ?? 0
      const reply = await sendOnce(port, sent.body)
      if (reply?.status === 200) return void sent.answers.push(reply.text)
      if (reply) this.refused.set(reply.status, (this.refused.get(reply.status) ?? 0) + 1)
      if (ports[this.#good % ports.length] === port) this.#good += 1
      await sleep(AGAIN_MS)
    }
  }

  /** Repeats every message; the ids whose answers are not all byte-identical. */
  async contradictions(): Promise<string[]> {
    const left = [...this.sent]
    const lanes = Array.from({ length: 16 }, async () => {
      for (let sent = left.pop(); sent !== undefined; sent = left.pop()) await this.repeat(sent)
    })
    await Promise.all(lanes)
    return this.sent
      .filter(({ answers }) => new Set(answers).size !== 1)
      .map(({ id, answers }) => [id, ...new Set(answers)].join(' '))
  }
}
