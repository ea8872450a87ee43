// etcd's API over gRPC: the four calls, each tried once at one endpoint. A call that fails moves
// the next one to the next endpoint. The library's own retries are off: a repeated append is the
// log's decision alone.

import { fileURLToPath } from 'node:url'
import {
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { systemClock } from '../../shared/clock.ts'
import { EtcdLeader, type MaintenanceClient } from './etcd-leader.ts'
import {
  eventsOf,
  readsOf,
  revisionOf,
  transactedOf,
  type WireTransacted,
  type WireWatched,
  wireReads,
  wireTransaction,
  wireWatch,
} from './etcd-messages.ts'
import type {
  AgreementStore,
  Ranged,
  Read,
  Transacted,
  Transaction,
  Unknown,
  Watch,
  WatchHandlers,
} from './store.ts'

const TRANSACT_MS_MAX = 300
const COMPACT_MS_MAX = 5000
/** A large tail takes longer to read: each read without an answer doubles the time of the next. */
const [RANGE_MS_MIN, RANGE_MS_MAX] = [500, 16_000]

const CHANNEL = {
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.min_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 500,
  // A node that is paused keeps its connections: only a ping tells. etcd allows one in 5 s.
  'grpc.keepalive_time_ms': 6000,
  'grpc.keepalive_timeout_ms': 1000,
}

export interface EtcdTls {
  ca: Buffer
  cert: Buffer | null
  key: Buffer | null
}

export interface EtcdOptions {
  /** `host:port` each. */
  endpoints: readonly string[]
  /** Null: without TLS. */
  tls: EtcdTls | null
}

type Callback<Answer> = (error: ServiceError | null, answer?: Answer) => void

interface KvClient extends Client {
  Txn(request: object, options: { deadline: number }, done: Callback<WireTransacted>): void
  Compact(request: object, options: { deadline: number }, done: Callback<object>): void
}

interface WatchClient extends Client {
  Watch(metadata: Metadata): ClientDuplexStream<object, WireWatched>
}

interface Endpoint {
  kv: KvClient
  watch: WatchClient
  maintenance: MaintenanceClient
}

/** Opens channels to every endpoint; nothing is connected before the first call. */
export function openEtcdClient({ endpoints, tls }: EtcdOptions): AgreementStore {
  const services = loadServices()
  const secured: ChannelCredentials =
    tls === null ? credentials.createInsecure() : credentials.createSsl(tls.ca, tls.key, tls.cert)
  const nodes = endpoints.map((address): Endpoint => {
    return {
      kv: new services.kv(address, secured, CHANNEL) as unknown as KvClient,
      watch: new services.watch(address, secured, CHANNEL) as unknown as WatchClient,
      maintenance: new services.maintenance(
        address,
        secured,
        CHANNEL,
      ) as unknown as MaintenanceClient,
    }
  })
  return new EtcdClient(nodes)
}

interface Services {
  kv: ServiceClientConstructor
  watch: ServiceClientConstructor
  maintenance: ServiceClientConstructor
}

function loadServices(): Services {
  const path = fileURLToPath(new URL('./etcd.proto', import.meta.url))
  const loaded = loadPackageDefinition(
    loadSync(path, { keepCase: true, longs: String, enums: Number, arrays: true, defaults: true }),
  )
  const { KV, Watch, Maintenance } = loaded['etcdserverpb'] as unknown as {
    [name: string]: ServiceClientConstructor
  }
  if (KV === undefined || Watch === undefined || Maintenance === undefined)
    throw new Error('etcd.proto lacks a service')
  return { kv: KV, watch: Watch, maintenance: Maintenance }
}

class EtcdClient implements AgreementStore {
  readonly #nodes: readonly Endpoint[]
  readonly #leader: EtcdLeader
  #at = 0
  #rangeMs = RANGE_MS_MIN

  constructor(nodes: readonly Endpoint[]) {
    this.#nodes = nodes
    this.#leader = new EtcdLeader({
      nodes: nodes.map(({ maintenance }) => maintenance),
      clock: systemClock,
      onLeader: (place) => {
        this.#at = place
      },
    })
  }

  transact(transaction: Transaction, done: (outcome: Transacted | Unknown) => void): void {
    const node = this.#node()
    const options = { deadline: deadlineIn(TRANSACT_MS_MAX) }
    node.kv.Txn(wireTransaction(transaction), options, (error, answer) => {
      if (error !== null || answer === undefined) return done(this.#unknown(node, error))
      this.#leader.heard(answer.header?.raft_term)
      done(transactedOf(answer))
    })
  }

  range(reads: readonly Read[], done: (outcome: Ranged | Unknown) => void): void {
    const node = this.#node()
    const options = { deadline: deadlineIn(this.#rangeMs) }
    node.kv.Txn(wireReads(reads), options, (error, answer) => {
      if (error !== null || answer === undefined) {
        this.#rangeMs = Math.min(RANGE_MS_MAX, 2 * this.#rangeMs)
        return done(this.#unknown(node, error))
      }
      this.#rangeMs = RANGE_MS_MIN
      const revision = revisionOf(answer.header?.revision)
      done({ outcome: 'read', revision, reads: readsOf(answer) })
    })
  }

  compact(revision: number, done: (failure: string | null) => void): void {
    const node = this.#node()
    const options = { deadline: deadlineIn(COMPACT_MS_MAX) }
    node.kv.Compact({ revision: String(revision) }, options, (error) =>
      done(error === null ? null : this.#unknown(node, error).reason),
    )
  }

  watch(
    { prefix, fromRevision }: { prefix: string; fromRevision: number },
    handlers: WatchHandlers,
  ): Watch {
    const node = this.#node()
    const metadata = new Metadata()
    // A node that lost its leader ends the watch instead of saying nothing.
    metadata.set('hasleader', 'true')
    const stream = node.watch.Watch(metadata)
    let over = false
    const end = (reason: string): void => {
      if (over) return
      over = true
      stream.cancel()
      this.#moveOn(node)
      handlers.onCancelled(reason)
    }
    stream.on('data', (answer: WireWatched) => {
      if (over) return
      if (answer.canceled) {
        const { compact_revision: compacted } = answer
        return end(compacted === '0' ? answer.cancel_reason : 'compacted at ' + compacted)
      }
      const events = eventsOf(answer)
      if (events.length > 0) handlers.onEvents(events)
    })
    stream.on('error', (error) => end(error.message))
    stream.on('end', () => end('the stream ended'))
    stream.write(wireWatch(prefix, fromRevision))
    return {
      cancel() {
        over = true
        stream.cancel()
      },
    }
  }

  close(): Promise<void> {
    this.#leader.close()
    for (const { kv, watch } of this.#nodes) {
      kv.close()
      watch.close()
    }
    return Promise.resolve()
  }

  #node(): Endpoint {
    return this.#nodes[this.#at % this.#nodes.length] as Endpoint
  }

  #unknown(node: Endpoint, error: ServiceError | null): Unknown {
    this.#leader.failed()
    this.#moveOn(node)
    return { outcome: 'unknown', reason: error === null ? 'an empty answer' : error.message }
  }

  /** Calls in flight at one endpoint that fail together move on by one only. */
  #moveOn(node: Endpoint): void {
    if (this.#node() === node) this.#at = (this.#at + 1) % this.#nodes.length
  }
}

/** gRPC takes the moment at which a call ends. */
function deadlineIn(ms: number): number {
  return systemClock.nowMs() + ms
}
