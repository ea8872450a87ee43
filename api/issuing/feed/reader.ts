// One reader of a feed: the events in the form of text/event-stream. A reader that takes nothing
// never makes the process grow: above UNSENT_MAX its transactions are dropped, and their counts
// wait in one tick until there is room.
import { Readable } from 'node:stream'
import type { FeedTick } from '../../../shared/schemas/transaction-feed.ts'
import { joined, type Numbered, withoutRows } from './tick.ts'

/** Bytes that wait for a reader. */
export const UNSENT_MAX = 256 * 1024

/** The caller of a stream, as its connection shows it. */
export interface FeedConnection {
  /** Header Last-Event-ID; null without one. */
  lastEventId: string | null
  /** False as soon as the credential no longer allows the call. */
  isAllowed(): boolean | Promise<boolean>
  /** Bytes of the answer that the connection has not taken. */
  unsentBytes(): number
}

export class FeedReader {
  /** The body of the answer. */
  readonly body: Readable
  readonly #connection: FeedConnection
  #dropped: FeedTick | null = null
  /** Number of the last transaction that was sent or dropped. */
  #seq: number
  #isChecking = false
  #isEnded = false

  constructor(connection: FeedConnection, seq: number, onClose: () => void) {
    this.#connection = connection
    this.#seq = seq
    this.body = new Readable({ read: () => undefined, highWaterMark: UNSENT_MAX })
    this.body.once('close', onClose)
  }

  /** Number of the last transaction that the reader knows of. */
  get seq(): number {
    return this.#seq
  }

  /** Says where the feed begins; the browser repeats the number after a lost connection. */
  begin(): void {
    this.#write('event: begin\nid: ' + this.#seq + '\ndata: {}\n\n')
  }

  /** More transactions than can be read again are missing. */
  gap(to: number): void {
    const data = JSON.stringify({ skipped: to - this.#seq })
    this.#seq = to
    this.#write('event: gap\nid: ' + to + '\ndata: ' + data + '\n\n')
  }

  /** `text` is the event of the tick, made once for all readers. */
  tick({ seq, tick }: Numbered, text: string): void {
    this.#seq = seq
    if (this.#isFull()) {
      const bare = withoutRows(tick)
      this.#dropped = this.#dropped === null ? bare : joined(this.#dropped, bare)
    } else if (this.#dropped === null) this.#write(text)
    else {
      const whole = joined(this.#dropped, tick)
      this.#dropped = null
      this.#write(eventText({ seq, tick: whole }))
    }
  }

  /** Sends what was dropped as soon as there is room. */
  flush(): void {
    if (this.#dropped === null || this.#isFull()) return
    const tick = this.#dropped
    this.#dropped = null
    this.#write(eventText({ seq: this.#seq, tick }))
  }

  /** Keeps proxies from closing a silent connection. */
  comment(): void {
    if (!this.#isFull()) this.#write(':\n\n')
  }

  /** The database does not answer, or does again. */
  state(state: 'waiting' | 'going_on'): void {
    if (!this.#isFull()) this.#write('event: state\ndata: {"state":"' + state + '"}\n\n')
  }

  /** Ends the stream where its credential no longer allows it; one look at a time. */
  check(): void {
    if (this.#isChecking) return
    const allowed = this.#connection.isAllowed()
    if (typeof allowed === 'boolean') {
      if (!allowed) this.end('not_allowed')
      return
    }
    this.#isChecking = true
    allowed.then(
      (isAllowed) => {
        this.#isChecking = false
        if (!isAllowed) this.end('not_allowed')
      },
      () => {
        // While the database is away nobody can revoke a credential either.
        this.#isChecking = false
      },
    )
  }

  end(reason: 'not_allowed' | 'closing'): void {
    if (this.#isEnded) return
    this.#write('event: end\ndata: {"reason":"' + reason + '"}\n\n')
    this.#isEnded = true
    this.body.push(null)
    // A reader that takes nothing would keep the stream open.
    if (this.#isFull()) this.body.destroy()
  }

  #isFull(): boolean {
    return this.body.readableLength + this.#connection.unsentBytes() >= UNSENT_MAX
  }

  #write(text: string): void {
    if (!this.#isEnded && !this.body.destroyed) this.body.push(text)
  }
}

/** The event of a tick, as it goes over the wire. */
export function eventText({ seq, tick }: Numbered): string {
  return 'event: transactions\nid: ' + seq + '\ndata: ' + JSON.stringify(tick) + '\n\n'
}
