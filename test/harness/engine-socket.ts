// The engine's private socket as the api sees it when it waits for a change: an HTTP server that says yes or no.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONTROL_PATHS } from '../../shared/wire/control.ts'

/** msgpack of an empty object. */
const EMPTY = Buffer.from([0x80])

export interface EngineSocket {
  path: string
  /** False: the engine has nothing, as when its facts stand still. */
  covers: boolean
  /** Transactions that were asked about, in order. */
  asked: bigint[]
  close(): Promise<void>
}

export async function openEngineSocket(): Promise<EngineSocket> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-engine-'))
  const asked: bigint[] = []
  const engine = { path: join(directory, 'engine.sock'), covers: true, asked, close }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://engine')
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
