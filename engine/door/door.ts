// The front door of a shard: a network port, the owner behind it, and the messages between them. It
// neither verifies nor decides anything.
import type { Clock } from '../../shared/clock.ts'
import { errorBody } from '../../shared/error-catalog.ts'
import type { Logger } from '../../shared/log.ts'
import { type MetricFamily, valueLines } from '../../shared/metric-text.ts'
import { observeProcess } from '../../shared/process-metrics.ts'
import type { Result } from '../../shared/result.ts'
import { openEtcdStore } from '../agreement/etcd-store.ts'
import { shardKeys } from '../agreement/keys.ts'
import type { Owner } from '../agreement/protocol.ts'
import { openHttpListener } from '../listeners/http.ts'
import { memberAuthorization } from '../member/member-token.ts'
import { fitsFrame } from '../member/message-frames.ts'
import type { DoorConfig } from './config.ts'
import { HeldMessages } from './held-messages.ts'
import { DoorLink } from './owner-link.ts'
import { OwnerWatch } from './owner-watch.ts'

/** A door that stops answers what is open for this long. */
const STOP_MS_MAX = 1500
const STOP_LOOK_MS = 5

export interface Door {
  readonly port: number
  /** Takes no new connections, answers what is open, and releases everything. */
  stop(): Promise<void>
}

export interface DoorParts {
  config: DoorConfig
  clock: Clock
  log: Logger
  /** A failure that only a restart mends. */
  onFatal(reason: string): void
}

/** Opens the door, or returns a sentence about why it cannot. */
export async function openDoor(parts: DoorParts): Promise<Result<Door, string>> {
  const { config, clock, log, onFatal } = parts
  const { settings, shard } = config
  const upstream = new Upstream(parts)
  const { held } = upstream
  const processLines = observeProcess()
  const listener = await openHttpListener({
    host: settings.SVC_ENGINE_HOST,
    port: config.port,
    clock,
    log,
    tls: config.tls,
    allowed: settings.SVC_ENGINE_ALLOW_CIDRS,
    nowMs: () => clock.nowMs(),
    authorize(raw) {
      if (fitsFrame(raw.signature, raw.keyId)) held.take(raw)
      else raw.reply.send(401, JSON.stringify(errorBody('invalid_signature', null)))
    },
    authorized: () => undefined,
    failed: (error) => onFatal(String(error)),
    unready: () => upstream.unready(),
    metrics: () => [...doorLines(upstream), ...processLines()].join('\n') + '\n',
    otherPorts: [],
  })
  if (!listener.ok) return listener
  const store = openEtcdStore({
    endpoints: shard.etcd,
    tls: shard.etcdTls,
    onFailed: onFatal,
  })
  const keys = shardKeys(shard.cell, shard.shard)
  const watch = new OwnerWatch({
    store,
    keys,
    clock,
    onOwner: (owner, address) => upstream.follow(owner, address),
  })
  watch.start()
  return {
    ok: true,
    value: {
      port: listener.value.port,
      async stop() {
        listener.value.close()
        const sinceNs = clock.monotonicNs()
        while (held.size > 0 && (clock.monotonicNs() - sinceNs) / 1e6 < STOP_MS_MAX)
          await new Promise<void>((resolve) => clock.after(STOP_LOOK_MS, resolve))
        watch.stop()
        upstream.end()
        await store.close()
        listener.value.end()
      },
    },
  }
}

/** The owner of the shard as the door reaches it. */
class Upstream {
  readonly held: HeldMessages
  changes = 0
  epoch = 0
  readonly #parts: DoorParts
  readonly #authorization: string
  #link: DoorLink | null = null
  #followed = ''

  constructor(parts: DoorParts) {
    this.#parts = parts
    this.held = new HeldMessages(parts)
    this.#authorization = memberAuthorization(parts.config.masterKeys)
  }

  unready(): string | null {
    return this.#link?.isOpen ? null : 'No owner of the shard is reached.'
  }

  follow(owner: Owner, address: string): void {
    const { clock, config, log } = this.#parts
    const { epoch, memberId } = owner
    log.info({ owner: memberId, epoch, address }, 'following the owner of the shard')
    this.changes += 1
    this.epoch = epoch
    const followed = memberId + ' ' + address
    // A hand-over names its member in one epoch and the member takes over in the next.
    if (followed === this.#followed && this.#link?.isOpen) return this.held.renamed(epoch)
    this.#followed = followed
    this.#link?.end()
    const link = new DoorLink({
      clock,
      tls: config.shard.memberTls,
      authorization: this.#authorization,
      address,
      onOpen: () => this.held.opened(),
      onAnswer: (answer) => this.held.answer(answer),
      onClosed: () => this.held.closed(),
    })
    this.#link = link
    const upstream = this
    this.held.replaced({
      get epoch() {
        return upstream.epoch
      },
      get isOpen() {
        return link.isOpen
      },
      send: (message) => link.send(message),
    })
  }

  end(): void {
    this.#link?.end()
  }
}

function doorLines(upstream: Upstream): string[] {
  return ROWS.flatMap(({ value, ...family }) => valueLines(family, value(upstream)))
}

const ROWS: readonly (MetricFamily & { value(upstream: Upstream): number })[] = [
  {
    name: 'svc_ready',
    type: 'gauge',
    help: '1 while the owner of the shard is reached.',
    value: (upstream) => (upstream.unready() === null ? 1 : 0),
  },
  {
    name: 'svc_door_epoch',
    type: 'gauge',
    help: 'Epoch of the owner that gets the messages.',
    value: ({ epoch }) => epoch,
  },
  {
    name: 'svc_door_owner_changes_total',
    type: 'counter',
    help: 'Owners that this door followed.',
    value: ({ changes }) => changes,
  },
  {
    name: 'svc_door_open_messages',
    type: 'gauge',
    help: 'Messages that are not answered yet.',
    value: ({ held }) => held.size,
  },
  {
    name: 'svc_door_oldest_seconds',
    type: 'gauge',
    help: 'Age of the oldest message that is not answered yet.',
    value: ({ held }) => held.oldestMs / 1000,
  },
  {
    name: 'svc_door_answered_total',
    type: 'counter',
    help: 'Messages that an owner answered.',
    value: ({ held }) => held.answered,
  },
  {
    name: 'svc_door_resent_total',
    type: 'counter',
    help: 'Messages that were sent again.',
    value: ({ held }) => held.resent,
  },
  {
    name: 'svc_door_expired_total',
    type: 'counter',
    help: 'Messages that no owner answered in time.',
    value: ({ held }) => held.expired,
  },
  {
    name: 'svc_door_quarantined_total',
    type: 'counter',
    help: 'Messages that were open when two owners in a row ended.',
    value: ({ held }) => held.quarantined,
  },
]
