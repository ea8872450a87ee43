// A TCP proxy whose line can be made bad: slow, dripping, silent, cut; a test can inspect and hold
// back the bytes.
import { connect, createServer, type Socket } from 'node:net'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { Teardown } from '../harness/postgres.ts'

export interface Line {
  /** Delay of each direction in milliseconds. */
  delayMs: number
  /** The proxy discards the bytes; the connections stay. */
  silent: boolean
  /** The proxy discards the client's bytes; the server's arrive. */
  mute: boolean
  /** One byte per write, for the first bytes of every piece. */
  dripping: boolean
  /** Selects the part of the server's bytes that is passed on. */
  filter: ((bytes: Buffer) => Buffer) | null
}

export interface Relay {
  port: number
  line: Line
  /** Target of new connections; a test changes it to put another server behind the same address. */
  target: { host: string; port: number }
  /** Resets every connection; the proxy still accepts new ones. */
  cut(): void
  /** Number of connections accepted so far. */
  taken(): number
}

export async function openProxy(t: Teardown, target: Relay['target']): Promise<Relay> {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = createServer((client) => {
    taken += 1
    const upstream = connect(proxy.target.port, proxy.target.host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    pass(client, upstream, proxy.line, false)
    pass(upstream, client, proxy.line, true)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const proxy: Relay = {
    port: address.port,
    line: { delayMs: 0, silent: false, mute: false, dripping: false, filter: null },
    target,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    taken: () => taken,
  }
  return proxy
}

/** The head of every piece drips; a megabyte by single bytes would only test the proxy. */
const DRIPPED_BYTES_MAX = 2048

/** Passes the bytes of one direction, in order. */
function pass(from: Socket, to: Socket, line: Line, fromServer: boolean): void {
  let turn: Promise<void> = Promise.resolve()
  from.on('data', (bytes: Buffer) => {
    if (line.silent || (line.mute && !fromServer)) return
    const kept = fromServer && line.filter !== null ? line.filter(bytes) : bytes
    const dueNs = systemClock.monotonicNs() + line.delayMs * 1e6
    turn = turn.then(async () => {
      // Pieces that come together leave together: a slow line is late, and not narrow.
      const leftMs = (dueNs - systemClock.monotonicNs()) / 1e6
      if (leftMs > 0) await sleep(leftMs)
      if (!line.dripping) return void to.write(kept)
      for (const byte of kept.subarray(0, DRIPPED_BYTES_MAX)) {
        to.write(Buffer.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      to.write(kept.subarray(DRIPPED_BYTES_MAX))
    })
  })
}

/** The same URL through the proxy. */
export function throughProxy(url: string, proxy: Relay): string {
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  return through.href
}

const NOTIFICATION = 'A'.charCodeAt(0)

/** Drops PostgreSQL's NOTIFY messages, if each comes in a piece of its own; counts them. */
export function withoutNotifications(): { filter: (bytes: Buffer) => Buffer; dropped(): number } {
  let dropped = 0
  return {
    dropped: () => dropped,
    filter(bytes) {
      const kept: Buffer[] = []
      let at = 0
      while (at + 5 <= bytes.length) {
        const length = 1 + bytes.readUInt32BE(at + 1)
        // The rest does not begin a message and is passed unchanged.
        if (at + length > bytes.length || !/[A-Za-z0-9]/.test(String.fromCharCode(bytes[at] ?? 0)))
          break
        if (bytes[at] === NOTIFICATION) dropped += 1
        else kept.push(bytes.subarray(at, at + length))
        at += length
      }
      kept.push(bytes.subarray(at))
      return Buffer.concat(kept)
    },
  }
}
