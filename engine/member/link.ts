// The link of a member: its address for the other members and the apis. HTTP on the decision
// thread, so every answer is small or comes in pieces with pauses between them.
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { type Clock, sleep, type Timer } from '../../shared/clock.ts'
import type { HostPort } from '../../shared/cluster-settings.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import { type Answer, bodyOf, journalPage, refusal, wholeNumber } from '../control/answers.ts'
import type { Page } from '../journal/read-page.ts'
import type { MemberTls } from './config.ts'
import {
  BEAT_MS,
  BEATS_HEADER,
  beatLine,
  type LinkStatus,
  MEMBER_PATHS,
  type OwnerBeat,
  SNAPSHOT_SEQ_HEADER,
} from './link-paths.ts'
import type { DoorConnection } from './message-link.ts'

const BODY_BYTES_MAX = 8 * 1024 * 1024
const PAGE_BYTES_MAX = 256 * 1024
const CONNECTIONS_MAX = 512
const REQUEST_MS_MAX = 10_000
/** A watcher that takes no beats is cut. */
const UNTAKEN_BYTES_MAX = 64 * 1024
/** Chosen: 256 KB every 4 ms are at most 64 MB a second, beside which the line keeps its time. */
const [PIECE_BYTES, PIECE_PAUSE_MS] = [256 * 1024, 4]

export interface LinkOptions {
  address: HostPort
  tls: MemberTls | null
  clock: Clock
  log: Logger
  isMember(authorization: string | undefined): boolean
  status(): LinkStatus
  /** Null while this member does not own the shard. */
  beat(): OwnerBeat | null
  read(fromSeq: number, bytesMax: number): Promise<Page>
  /** The newest snapshot; null without one. */
  snapshot(): { seq: number; path: string } | null
  /** Hands the shard over; the reason where it cannot. */
  handOver(to: string | null): Promise<Result<null, string>>
  /** A door that connects; called while this member owns the shard. */
  messages(door: DoorConnection): void
  /** A request of the control socket that came over the link. */
  control(method: string, url: string, body: Buffer): Promise<Answer>
}

export interface Link {
  close(): Promise<void>
}

/** Listens, or returns a sentence about why it cannot. */
export function openLink(options: LinkOptions): Promise<Result<Link, string>> {
  const { host, port } = options.address
  const link = new MemberLink(options)
  const { server } = link
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message
      const where = host + ':' + port
      resolve({ ok: false, error: 'the member link ' + where + ' cannot be opened (' + why + ')' })
    })
    server.listen({ host, port, exclusive: true }, () => {
      server.on('error', () => undefined)
      link.start()
      resolve({ ok: true, value: link })
    })
  })
}

class MemberLink implements Link {
  readonly server: Server
  readonly #options: LinkOptions
  readonly #watchers = new Set<ServerResponse>()
  readonly #doors = new Set<Duplex>()
  #timer: Timer | null = null

  constructor(options: LinkOptions) {
    this.#options = options
    const limits = { requestTimeout: REQUEST_MS_MAX, keepAliveTimeout: 0, maxHeaderSize: 4096 }
    const serve = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#serve(request, response)
    this.server =
      options.tls === null
        ? createServer(limits, serve)
        : createTlsServer(
            { ...limits, ...options.tls, requestCert: true, rejectUnauthorized: true },
            serve,
          )
    this.server.maxConnections = CONNECTIONS_MAX
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    )
    this.server.on('clientError', (_, socket) => socket.destroy())
  }

  start(): void {
    this.#timer = this.#options.clock.after(BEAT_MS, () => {
      this.#beat()
      this.start()
    })
  }

  close(): Promise<void> {
    this.#timer?.cancel()
    for (const door of this.#doors) door.destroy()
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { isMember, beat, messages } = this.#options
    socket.on('error', () => socket.destroy())
    const refuse = (status: string): void =>
      void socket.end('HTTP/1.1 ' + status + '\r\nConnection: close\r\n\r\n', () =>
        socket.destroy(),
      )
    if (!isMember(request.headers.authorization)) return refuse('401 Unauthorized')
    if (request.url !== MEMBER_PATHS.messages) return refuse('404 Not Found')
    if (beat() === null) return refuse('409 Conflict')
    this.#doors.add(socket)
    socket.on('close', () => this.#doors.delete(socket))
    messages({ socket, head, beats: request.headers[BEATS_HEADER] !== undefined })
  }

  #beat(): void {
    if (this.#watchers.size === 0) return
    const beat = this.#options.beat()
    for (const watcher of this.#watchers) {
      if (beat === null || watcher.writableLength > UNTAKEN_BYTES_MAX) watcher.destroy()
      else watcher.write(beatLine(beat))
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy())
    try {
      if (!this.#options.isMember(request.headers.authorization))
        return send(response, refusal(401, 'the caller shows no key of this installation'))
      const body = await bodyOf(request, BODY_BYTES_MAX)
      if (body === null) return send(response, refusal(413, 'the body is too large'))
      await this.#route(request, response, body)
    } catch (cause) {
      this.#options.log.error({ err: cause }, 'a request on the member link failed')
      if (response.headersSent) response.destroy()
      else send(response, refusal(500, 'internal error'))
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { method = '', url = '' } = request
    const [path = '', text = ''] = url.split('?', 2)
    const query = new URLSearchParams(text)
    if (path.startsWith(MEMBER_PATHS.control + '/')) {
      const below = url.slice(MEMBER_PATHS.control.length)
      return send(response, await this.#options.control(method, below, body))
    }
    switch (method + ' ' + path) {
      case 'GET ' + MEMBER_PATHS.status:
        return send(response, json(200, this.#options.status()))
      case 'GET ' + MEMBER_PATHS.beats:
        return this.#watch(response)
      case 'GET ' + MEMBER_PATHS.journal:
        return send(response, await this.#page(query))
      case 'GET ' + MEMBER_PATHS.snapshot:
        return this.#snapshot(response)
      case 'POST ' + MEMBER_PATHS.handOver: {
        const handed = await this.#options.handOver(query.get('to'))
        return send(response, handed.ok ? json(200, {}) : json(409, { error: handed.error }))
      }
      default:
        return send(response, refusal(404, 'no such request'))
    }
  }

  #watch(response: ServerResponse): void {
    const beat = this.#options.beat()
    if (beat === null) return send(response, refusal(409, 'this member does not own the shard'))
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write(beatLine(beat))
    this.#watchers.add(response)
    response.on('close', () => this.#watchers.delete(response))
  }

  async #page(query: URLSearchParams): Promise<Answer> {
    const { status, read } = this.#options
    const from = wholeNumber(query.get('from'))
    const most = wholeNumber(query.get('bytes_max'))
    if (from === null || from === 0 || most === null) return refusal(400, 'from must be a sequence')
    const { first_seq: firstSeq, journal_id: journalId } = status()
    if (from < firstSeq) return refusal(410, 'this entry is no longer kept')
    return journalPage(journalId, await read(from, Math.min(most, PAGE_BYTES_MAX)))
  }

  async #snapshot(response: ServerResponse): Promise<void> {
    const snapshot = this.#options.snapshot()
    if (snapshot === null) return send(response, refusal(404, 'no snapshot was taken yet'))
    response.writeHead(200, { [SNAPSHOT_SEQ_HEADER]: String(snapshot.seq) })
    // A file that is used again meanwhile fails the reader's check, and the reader asks again.
    for await (const piece of createReadStream(snapshot.path, { highWaterMark: PIECE_BYTES })) {
      if (response.destroyed) return
      if (!response.write(piece)) await drained(response)
      await sleep(PIECE_PAUSE_MS)
    }
    response.end()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })
}

function json(status: number, value: unknown): Answer {
  const body = Buffer.from(JSON.stringify(value))
  return { status, body, headers: { 'content-type': 'application/json' } }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-length': body.length, ...headers })
  response.end(body)
}
