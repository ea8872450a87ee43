// A TCP proxy before PostgreSQL that cuts connections at the worst moment: the server has
// committed, and the client does not learn it.
import { connect, createServer, type Socket } from 'node:net'
import type { Teardown } from '../harness/postgres.ts'

/** The tag with which the server says that a transaction is committed. */
const COMMITTED = Buffer.from('COMMIT\0')

export interface CommitCutter {
  /** The database's URL through the proxy. */
  url: string
  /** Connections to cut from now on, each at its next commit. */
  cuts: number
}

export async function openCommitCutter(t: Teardown, databaseUrl: string): Promise<CommitCutter> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const cutter: CommitCutter = { url: '', cuts: 0 }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
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
      if (cutter.cuts > 0 && bytes.includes(COMMITTED)) {
        cutter.cuts -= 1
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
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String(address.port)
  cutter.url = through.href
  return cutter
}
