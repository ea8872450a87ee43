// The answers of the control socket, and the bodies of its requests.
import type { IncomingMessage } from 'node:http'
import { type ControlRefusal, JOURNAL_HEADERS } from '../../shared/wire/control.ts'
import { packed } from './requests.ts'

export interface Answer {
  status: number
  body: Buffer
  headers?: { readonly [name: string]: string }
}

/** 200 with a value. */
export function ok(body: unknown): Answer {
  return { status: 200, body: packed(body) }
}

/** Another status with one sentence. */
export function refusal(status: number, error: string): Answer {
  const body: ControlRefusal = { error }
  return { status, body: packed(body) }
}

/** A page of the journal: its frames as they are. */
export function journalPage(
  journalId: string,
  page: { firstSeq: number; count: number; frames: Buffer },
): Answer {
  return {
    status: 200,
    body: page.frames,
    headers: {
      'content-type': 'application/octet-stream',
      [JOURNAL_HEADERS.journalId]: journalId,
      [JOURNAL_HEADERS.firstSeq]: String(page.firstSeq),
      [JOURNAL_HEADERS.count]: String(page.count),
    },
  }
}

/** Null if the body is larger than allowed. Rejects when the connection breaks. */
export async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    bytes += part.length
    if (bytes > bytesMax) return null
    parts.push(part)
  }
  return Buffer.concat(parts, bytes)
}

/** The number of a query parameter; null where it is none. */
export function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
