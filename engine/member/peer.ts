// Calls to another member over its link: HTTP, with mutual TLS beyond this machine. Every call has
// an end, and none throws: a failure is a value, and its caller asks another member or again.
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Clock } from '../../shared/clock.ts'
import { parseHostPort } from '../../shared/cluster-settings.ts'
import { JOURNAL_HEADERS } from '../../shared/wire/control.ts'
import type { MemberTls } from './config.ts'
import { type LinkStatus, MEMBER_PATHS, SNAPSHOT_SEQ_HEADER, statusOf } from './link-paths.ts'

const ANSWER_MS_MAX = 2000
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** A stream that says nothing for so long is given up. */
const STREAM_SILENT_MS_MAX = 10_000

export interface PeerOptions {
  clock: Clock
  tls: MemberTls | null
  authorization: string
  agent?: Agent
}

export interface PeerCall {
  method: string
  path: string
  body?: Buffer
  deadlineMs?: number
}

export interface PeerReply {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

export interface PeerStream {
  onHead(response: IncomingMessage): void
  onBytes(bytes: Buffer): void
  /** Called once; null where the stream ended in order. */
  onEnd(failure: string | null): void
}

export class Peers {
  readonly #options: PeerOptions

  constructor(options: PeerOptions) {
    this.#options = options
  }

  /** The answer, or null where none came in time. */
  call(address: string, { method, path, body, deadlineMs }: PeerCall): Promise<PeerReply | null> {
    return new Promise((resolve) => {
      const end = (reply: PeerReply | null): void => {
        deadline.cancel()
        resolve(reply)
      }
      const request = this.#request(address, { method, path }, body?.length ?? 0, (response) => {
        collect(response, (bytes) => {
          if (bytes === null) return end(null)
          end({ status: response.statusCode ?? 0, headers: response.headers, body: bytes })
        })
      })
      const deadline = this.#options.clock.after(deadlineMs ?? ANSWER_MS_MAX, () => {
        request?.destroy()
        resolve(null)
      })
      if (request === null) return end(null)
      request.on('error', () => end(null))
      request.end(body)
    })
  }

  /** The report of a member about itself; null where it does not answer. */
  async status(address: string): Promise<LinkStatus | null> {
    const reply = await this.call(address, { method: 'GET', path: MEMBER_PATHS.status })
    return reply?.status === 200 ? statusOf(reply.body) : null
  }

  /** Entries from `fromSeq` on; `gone` where the member dropped them, null: no answer. */
  async page(
    address: string,
    { journalId, fromSeq, bytesMax }: { journalId: string; fromSeq: number; bytesMax: number },
  ): Promise<{ count: number; frames: Buffer } | 'gone' | null> {
    const path = MEMBER_PATHS.journal + '?from=' + fromSeq + '&bytes_max=' + bytesMax
    const reply = await this.call(address, { method: 'GET', path })
    if (reply?.status === 410) return 'gone'
    // Another shard's member may have the address of one that was removed.
    if (reply?.status !== 200 || reply.headers[JOURNAL_HEADERS.journalId] !== journalId) return null
    const count = Number(reply.headers[JOURNAL_HEADERS.count])
    if (Number(reply.headers[JOURNAL_HEADERS.firstSeq]) !== fromSeq) return null
    return isWhole(reply.body, count) ? { count, frames: reply.body } : null
  }

  /** The newest snapshot of a member, piece by piece; resolves with its sequence, null: none. */
  snapshot(address: string, take: (bytes: Buffer) => void): Promise<number | null> {
    return new Promise((resolve) => {
      let seq: number | null = null
      this.stream(address, MEMBER_PATHS.snapshot, {
        onHead(response) {
          const text = String(response.headers[SNAPSHOT_SEQ_HEADER])
          if (response.statusCode === 200 && /^\d{1,15}$/.test(text)) seq = Number(text)
        },
        onBytes(bytes) {
          if (seq !== null) take(bytes)
        },
        onEnd: (failure) => resolve(failure === null ? seq : null),
      })
    })
  }

  /** Follows an answer without an end of its own; returns how to end it. */
  stream(address: string, path: string, handlers: PeerStream): { end(): void } {
    let over = false
    const end = (failure: string | null): void => {
      if (over) return
      over = true
      handlers.onEnd(failure)
    }
    const request = this.#request(address, { method: 'GET', path }, 0, (response) => {
      handlers.onHead(response)
      response.on('data', (bytes: Buffer) => {
        if (!over) handlers.onBytes(bytes)
      })
      response.on('end', () => end(response.complete ? null : 'cut off'))
      response.on('error', (error) => end(error.message))
      response.on('close', () => end('closed'))
    })
    if (request === null) {
      this.#options.clock.after(0, () => end('the address cannot be read'))
      return { end: () => undefined }
    }
    request.on('error', (error) => end(error.message))
    request.setTimeout(STREAM_SILENT_MS_MAX, () => request.destroy())
    request.end()
    return {
      end() {
        over = true
        request.destroy()
      },
    }
  }

  #request(
    address: string,
    { method, path }: { method: string; path: string },
    bodyBytes: number,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest | null {
    const at = parseHostPort(address)
    if (at === null) return null
    const { tls, authorization, agent } = this.#options
    const options: RequestOptions = {
      ...at,
      method,
      path,
      headers: { authorization, 'content-length': bodyBytes },
      ...(agent === undefined ? {} : { agent }),
    }
    if (tls === null) return plainRequest(options, onResponse)
    return tlsRequest({ ...options, ...tls }, onResponse)
  }
}

function collect(response: IncomingMessage, done: (bytes: Buffer | null) => void): void {
  const parts: Buffer[] = []
  let bytes = 0
  response.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) response.destroy()
    else parts.push(part)
  })
  response.on('error', () => done(null))
  response.on('close', () => done(response.complete ? Buffer.concat(parts) : null))
}

/** True where the frames are as many whole entries as the head says. */
function isWhole(frames: Buffer, count: number): boolean {
  let found = 0
  let at = 0
  for (; at + 4 <= frames.length; found++) at += 4 + frames.readUInt32LE(at)
  return at === frames.length && found === count
}
