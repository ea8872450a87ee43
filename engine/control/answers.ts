// The answers of the control socket.
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
