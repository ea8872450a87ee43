// A TCP proxy before etcd that cuts connections at the worst moment: etcd has applied the call, and
// the caller does not learn it. It reads the frames of HTTP/2 from etcd and cuts at the first one
// that belongs to an answer.
import { connect, createServer, type Socket } from 'node:net'
import type { Teardown } from '../harness/postgres.ts'

const FRAME_HEADER_BYTES = 9
const [DATA_FRAME, HEADERS_FRAME] = [0, 1]

export interface ReplyCutter {
  /** `host:port` of the proxy. */
  endpoint: string
  /** Answers to swallow from now on, each with its connection. */
  cuts: number
  /** Connections that were cut. */
  done: number
}

export async function openReplyCutter(t: Teardown, endpoint: string): Promise<ReplyCutter> {
  const [host = '', port = ''] = endpoint.split(':')
  const sockets = new Set<Socket>()
  const cutter: ReplyCutter = { endpoint: '', cuts: 0, done: 0 }
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    const frames = new FrameReader()
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
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes) => {
      const answers = frames.read(bytes)
      if (cutter.cuts > 0 && answers) {
        cutter.cuts -= 1
        cutter.done += 1
        client.destroy()
      } else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  cutter.endpoint = '127.0.0.1:' + address.port
  return cutter
}

class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** True if the bytes begin a frame that belongs to an answer. */
  read(bytes: Buffer): boolean {
    this.#rest = Buffer.concat([this.#rest, bytes])
    let answers = false
    while (this.#rest.length >= FRAME_HEADER_BYTES) {
      const end = FRAME_HEADER_BYTES + this.#rest.readUIntBE(0, 3)
      const type = this.#rest.readUInt8(3)
      if (type === DATA_FRAME || type === HEADERS_FRAME) answers = true
      if (this.#rest.length < end) return answers
      this.#rest = this.#rest.subarray(end)
    }
    return answers
  }
}
