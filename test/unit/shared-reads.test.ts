// Plain connections of the network port read into one buffer: this Node.js has the handle that the
// move needs, and a connection loses neither a byte nor its end by it.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'tap'
import { moveToSharedReads } from '../../engine/listeners/shared-reads.ts'

test('a moved connection reads all bytes, answers, pauses and ends', async (t) => {
  const heard: string[] = []
  const buffers = new Set<Buffer>()
  const moved: Socket[] = []
  const server = createServer({ pauseOnConnect: true }, (accepted) => {
    const socket = moveToSharedReads(accepted, (bytes, length) => {
      heard.push(bytes.toString('latin1', 0, length))
      buffers.add(bytes)
      socket?.write('taken')
    })
    if (socket !== null) moved.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const peers = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const [number, peer] of peers.entries()) {
    peer.write('message ' + number)
    await once(peer, 'data')
  }
  t.same(heard, ['message 0', 'message 1'])
  t.equal(buffers.size, 1, 'both in the same buffer')
  const [first, second] = moved as [Socket, Socket]
  t.equal(first.remoteAddress, '127.0.0.1')
  const ended = once(first, 'end')
  peers[0]?.end()
  await ended
  const closed = once(peers[1] as Socket, 'close')
  second.destroy()
  await closed
  server.close()
  await once(server, 'close')
})
