// The engine's private socket as the api uses it for a change or a dry run: an HTTP server that
// gives the answers a test sets.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Packr } from 'msgpackr'
import {
  type BreakerReport,
  CONTROL_PATHS,
  type EvaluateAnswer,
  type EvaluateRequest,
} from '../../shared/wire/control.ts'

/** msgpack of an empty object. */
const EMPTY = Buffer.from([0x80])
const packr = new Packr({ useRecords: false, variableMapSize: true })

export interface EngineSocket {
  path: string
  /** False: the engine has not applied the change, as when its config cache stands still. */
  covers: boolean
  /** Its report of the breaker of every endpoint; null: none, as an older release answers. */
  breaker: BreakerReport | null
  /** Transactions that were asked about, in order. */
  asked: bigint[]
  /** The answer of a dry run, or the status with which it is refused. */
  evaluation: EvaluateAnswer | number
  /** Dry runs that were asked for, in order. */
  evaluated: EvaluateRequest[]
  close(): Promise<void>
}

export async function openEngineSocket(): Promise<EngineSocket> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-engine-'))
  const asked: bigint[] = []
  const engine: EngineSocket = {
    path: join(directory, 'engine.sock'),
    covers: true,
    breaker: null,
    asked,
    evaluation: 503,
    evaluated: [],
    close,
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://engine')
    if (url.pathname === CONTROL_PATHS.breakers && engine.breaker !== null) {
      const ids = (url.searchParams.get('endpoints') ?? '').split(',')
      return response.end(packr.pack(ids.map(() => engine.breaker)))
    }
    if (url.pathname === CONTROL_PATHS.evaluate) {
      const parts: Buffer[] = []
      return request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          engine.evaluated.push(packr.unpack(Buffer.concat(parts)))
          const { evaluation } = engine
          const refused = typeof evaluation === 'number'
          response.writeHead(refused ? evaluation : 200)
          response.end(packr.pack(refused ? { error: 'refused' } : evaluation))
        })
    }
    if (url.pathname !== CONTROL_PATHS.covers) return response.writeHead(404).end(EMPTY)
    asked.push(BigInt(url.searchParams.get('xid') ?? 0))
    return response.writeHead(engine.covers ? 200 : 504).end(EMPTY)
  })
  await new Promise<void>((resolve) => server.listen(engine.path, resolve))
  return engine

  async function close(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(directory, { recursive: true, force: true })
  }
}
