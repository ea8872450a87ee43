// The private socket of a front door: an api pushes config records here as to an engine. The door
// keeps what it needs to find a shard, and no secret of a tenant.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { ConfigChange } from '../../shared/wire/config-records.ts'
import { type AttachAnswer, CONTROL_PATHS, type StatusAnswer } from '../../shared/wire/control.ts'
import type { ConfigCache } from '../config-cache/config-cache.ts'
import { type Answer, bodyOf, ok, refusal } from '../control/answers.ts'
import { type KeptSocket, keepSocket } from '../control/kept-socket.ts'
import { attachRequestOf, configPushOf } from '../control/requests.ts'

const BODY_BYTES_MAX = 8 * 1024 * 1024
const REQUEST_MS_MAX = 10_000
const CONNECTIONS_MAX = 64

export interface ConfigSocketOptions {
  socketPath: string
  clock: Clock
  log: Logger
  configCache: ConfigCache
  /** Names the door to the apis, which agree on one that pushes. */
  doorId: string
  unready(): string | null
}

/** Rejects with a sentence if a running door holds the socket. */
export function openConfigSocket(options: ConfigSocketOptions): Promise<KeptSocket> {
  const { socketPath: path, clock, log } = options
  const socket = new ConfigSocket(options)
  return keepSocket({ path, clock, log, newServer: () => socket.newServer() })
}

class ConfigSocket {
  readonly #options: ConfigSocketOptions
  #attachedTo: string | null = null

  constructor(options: ConfigSocketOptions) {
    this.#options = options
  }

  newServer(): Server {
    const limits = {
      requestTimeout: REQUEST_MS_MAX,
      headersTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: 0,
      maxHeaderSize: 4096,
    }
    const server = createServer(limits, (request, response) => void this.#serve(request, response))
    server.maxConnections = CONNECTIONS_MAX
    return server
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy())
    try {
      const body = await bodyOf(request, BODY_BYTES_MAX)
      const answer =
        body === null
          ? refusal(413, 'the body is too large')
          : await this.#answer(request.method + ' ' + request.url, body)
      response.writeHead(answer.status, {
        'content-length': answer.body.length,
        ...(body === null ? { connection: 'close' } : {}),
      })
      response.end(answer.body)
    } catch (cause) {
      this.#options.log.error({ err: cause, path: request.url }, 'a request for the door failed')
      response.destroy()
    }
  }

  #answer(route: string, body: Buffer): Answer | Promise<Answer> {
    switch (route) {
      case 'GET ' + CONTROL_PATHS.status:
        return ok(this.#status())
      case 'POST ' + CONTROL_PATHS.attach:
        return this.#attach(body)
      case 'POST ' + CONTROL_PATHS.configCache:
        return this.#push(body)
      default:
        return refusal(404, 'no such request')
    }
  }

  #status(): StatusAnswer {
    const { configCache, doorId, unready } = this.#options
    const reason = unready()
    return {
      ready: reason === null,
      reason,
      journal_id: '',
      epoch: 0,
      synced_seq: 0,
      drained_seq: 0,
      attached: this.#attachedTo !== null,
      database_id: configCache.databaseId,
      facts_cursor: configCache.cursor,
      member_id: doorId,
      is_door: true,
      first_seq: 1,
    }
  }

  #attach(body: Buffer): Answer {
    const request = attachRequestOf(body)
    if (request === null) return refusal(400, 'not an AttachRequest')
    this.#attachedTo = request.database_id
    return ok({ attached: true } satisfies AttachAnswer)
  }

  async #push(body: Buffer): Promise<Answer> {
    const push = configPushOf(body)
    if (push === null) return refusal(400, 'not a ConfigPush')
    if (push.database_id !== this.#attachedTo) return refusal(409, 'this database is not attached')
    const changes = push.changes.flatMap((change) => locator(change) ?? [])
    const applied = await this.#options.configCache.apply({ ...push, changes })
    return applied.ok ? ok({}) : refusal(412, applied.error)
  }
}

/** The part of a record by which a shard is found; null where it has none. */
function locator(change: ConfigChange): ConfigChange | null {
  if ('removed' in change) return change
  switch (change.type) {
    case 'root':
    case 'program':
      return change
    case 'network_key':
      return { ...change, sealed_secret: '' }
    case 'card':
      return { ...change, cvc_verifier: '', pin_verifier: null }
    default:
      return null
  }
}
