// Moves deliveries to a sender thread and their outcomes back: many in one message. The bodies lie
// one after the other in a buffer that is made for the transfer and moved; no byte is copied a
// second time.
import type { AttemptOutcome, Posting } from './delivery.ts'

/** A delivery under the number by which its outcome comes back. */
export interface Numbered {
  number: number
  posting: Posting
}

interface Item extends Omit<Posting, 'body'> {
  number: number
  bodyBytes: number
}

export interface WorkerBatch {
  items: readonly Item[]
  bodies: ArrayBuffer
}

export interface Landed {
  number: number
  outcome: AttemptOutcome
}

/** Takes only the fields that sending needs. The caller transfers `bodies`. */
export function pack(numbered: readonly Numbered[]): WorkerBatch {
  const size = numbered.reduce((sum, { posting }) => sum + posting.body.length, 0)
  const bodies = new Uint8Array(size)
  let at = 0
  const items = numbered.map(({ number, posting }): Item => {
    const { id, eventId, tenantId, environment, cause, attempt, url, body, secrets } = posting
    const { sendBy, traceparent } = posting
    bodies.set(body, at)
    at += body.length
    return {
      number,
      id,
      eventId,
      tenantId,
      environment,
      cause,
      attempt,
      sendBy,
      url,
      secrets,
      bodyBytes: body.length,
      ...(traceparent !== undefined && { traceparent }),
    }
  })
  return { items, bodies: bodies.buffer }
}

export function unpack({ items, bodies }: WorkerBatch): Numbered[] {
  let at = 0
  return items.map(({ number, bodyBytes, ...posting }) => {
    const body = Buffer.from(bodies, at, bodyBytes)
    at += bodyBytes
    return { number, posting: { ...posting, body } }
  })
}
