// The thread that speaks with etcd: frames are deflated and gRPC runs here, so an append costs the
// decision thread one message. It holds no state but the watches that are open.
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../shared/assert.ts'
import { type EtcdOptions, openEtcdClient } from './etcd-client.ts'
import type { ThreadAnswer, ThreadOrder } from './etcd-store.ts'
import type { Compare, Transaction, Watch, Write } from './store.ts'

const port = parentPort
assert(port !== null, 'etcd-thread.ts runs as a thread')
const answerTo = port
const store = openEtcdClient(withBuffers(workerData as EtcdOptions))
const watches = new Map<number, Watch>()

function answer(message: ThreadAnswer): void {
  answerTo.postMessage(message)
}

port.on('message', (order: ThreadOrder) => {
  const { id } = order
  switch (order.call) {
    case 'transact':
      return store.transact(received(order.transaction), (outcome) =>
        answer({ id, answer: 'transact', outcome }),
      )
    case 'range':
      return store.range(order.reads, (outcome) => answer({ id, answer: 'range', outcome }))
    case 'compact':
      return store.compact(order.revision, (failure) => answer({ id, answer: 'compact', failure }))
    case 'watch':
      watches.set(
        id,
        store.watch(order.range, {
          onEvents: (events) => answer({ id, answer: 'events', events: [...events] }),
          onCancelled(reason) {
            watches.delete(id)
            answer({ id, answer: 'cancelled', reason })
          },
        }),
      )
      return
    case 'cancel':
      watches.get(id)?.cancel()
      watches.delete(id)
      return
    case 'close':
      for (const watch of watches.values()) watch.cancel()
      return void store.close().then(() => answer({ id, answer: 'closed' }))
  }
})

/** Buffers arrive as plain byte arrays, which gRPC takes for no certificates. */
function withBuffers({ endpoints, tls }: EtcdOptions): EtcdOptions {
  if (tls === null) return { endpoints, tls }
  const { ca, cert, key } = tls
  const bytes = (pem: Buffer | null): Buffer | null => (pem === null ? null : bufferOf(pem))
  return { endpoints, tls: { ca: bufferOf(ca), cert: bytes(cert), key: bytes(key) } }
}

/** Buffers arrive as plain byte arrays. */
function received({ compares, writes, otherwise }: Transaction): Transaction {
  return { compares: compares.map(comparing), writes: writes.map(writing), otherwise }
}

function comparing(compare: Compare): Compare {
  return compare.is === 'value' ? { ...compare, value: bufferOf(compare.value) } : compare
}

function writing(write: Write): Write {
  if (write.write === 'put') return { ...write, value: bufferOf(write.value) }
  if (write.write === 'remove') return write
  return { ...write, frame: { ...write.frame, entries: bufferOf(write.frame.entries) } }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
