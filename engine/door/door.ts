// The front door: a network port, the owners of the shards behind it, and the messages between
// them. It neither verifies nor decides anything.
import type { Clock } from '../../shared/clock.ts'
import type { ConnectionSlots } from '../../shared/connection-slots.ts'
import { errorBody } from '../../shared/error-catalog.ts'
import type { Logger } from '../../shared/log.ts'
import { familyLines, type MetricFamily, valueLines } from '../../shared/metric-text.ts'
import { observeProcess } from '../../shared/process-metrics.ts'
import type { Result } from '../../shared/result.ts'
import { shardSocket } from '../../shared/shards.ts'
import { openEtcdStore } from '../agreement/etcd-store.ts'
import { shardKeys } from '../agreement/keys.ts'
import { openHttpListener } from '../listeners/http.ts'
import { memberAuthorization } from '../member/member-token.ts'
import { fitsFrame } from '../member/message-frames.ts'
import type { DoorConfig } from './config.ts'
import { HeldMessages, type Place } from './held-messages.ts'
import { openIsoLinks } from './iso-links.ts'
import { openLocating } from './locating.ts'
import { OwnerWatch, type OwnerWatchOptions } from './owner-watch.ts'
import { Upstream } from './upstream.ts'

/** A door that stops answers what is open for this long. */
const STOP_MS_MAX = 1500
const STOP_LOOK_MS = 5

export interface Door {
  readonly port: number
  /** Null without an ISO 8583 port. */
  readonly isoPort: number | null
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
  const { settings, shards } = config
  const several = shards.length > 1
  const locating = several || config.iso !== null ? openLocating(parts) : null
  const [only = ''] = shards
  const anywhere = (): Place => ({ shard: only, unlocated: false })
  const place = several ? (locating?.place ?? anywhere) : anywhere
  const held = new HeldMessages({ clock, log, place })
  const upstreams = shards.map((shard) => upstreamOf(parts, held, shard))
  const unready = (): string | null => {
    // One shard without an owner takes no messages from the others.
    if (!upstreams.some((upstream) => upstream.isOpen)) return 'No owner of a shard is reached.'
    return several ? (locating?.unready() ?? null) : null
  }
  const processLines = observeProcess()
  const otherPorts: ConnectionSlots[] = []
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
    unready,
    metrics: () =>
      [...doorLines(upstreams, held, unready() === null), ...processLines()].join('\n') + '\n',
    otherPorts,
  })
  if (!listener.ok) {
    await locating?.close()
    return listener
  }
  const links = await openIsoLinks({ ...parts, held, locating, unready })
  if (!links.ok) {
    listener.value.close()
    listener.value.end()
    await locating?.close()
    return links
  }
  if (links.value !== null) otherPorts.push(links.value.slots)
  await locating?.listen(unready)
  const watched = followOwners(parts, upstreams)
  return {
    ok: true,
    value: {
      port: listener.value.port,
      isoPort: links.value?.port ?? null,
      async stop() {
        listener.value.close()
        links.value?.close()
        const sinceNs = clock.monotonicNs()
        while (held.size > 0 && (clock.monotonicNs() - sinceNs) / 1e6 < STOP_MS_MAX)
          await new Promise<void>((resolve) => clock.after(STOP_LOOK_MS, resolve))
        // A link of ISO 8583 reads until it ends: its peer hears at once that nobody decides.
        held.stopping = true
        await watched.stop()
        for (const upstream of upstreams) upstream.end()
        await locating?.close()
        links.value?.end()
        listener.value.end()
      },
    },
  }
}

function upstreamOf(
  { config, clock, log }: DoorParts,
  held: HeldMessages,
  shard: string,
): Upstream {
  const authorization = memberAuthorization(config.masterKeys)
  const tls = config.agreement?.memberTls ?? null
  return new Upstream({ clock, log, shard, held, tls, authorization })
}

/** Follows the owners that etcd names; without etcd each shard has one engine on this machine. */
function followOwners(
  { config, clock, onFatal }: DoorParts,
  upstreams: readonly Upstream[],
): { stop(): Promise<void> } {
  const { agreement, engineSocket } = config
  if (agreement === null) {
    for (const upstream of upstreams)
      upstream.followSocket(shardSocket(engineSocket, upstream.shard))
    return { stop: async () => undefined }
  }
  const { etcd, etcdTls, cell } = agreement
  const store = openEtcdStore({ endpoints: etcd, tls: etcdTls, onFailed: onFatal })
  const watches = upstreams.map((upstream) => {
    const keys = shardKeys(cell, upstream.shard)
    const onOwner: OwnerWatchOptions['onOwner'] = (...owner) => upstream.follow(...owner)
    return new OwnerWatch({ store, keys, clock, onOwner })
  })
  for (const watch of watches) watch.start()
  return {
    async stop() {
      for (const watch of watches) watch.stop()
      await store.close()
    },
  }
}

/** Lines per shard, then those of the door. */
function doorLines(upstreams: readonly Upstream[], held: HeldMessages, isReady: boolean): string[] {
  const perShard = SHARD_ROWS.flatMap(({ value, ...family }) =>
    familyLines(
      family,
      upstreams.map((upstream) => {
        const label = upstreams.length === 1 ? '' : '{shard="' + upstream.shard + '"}'
        return family.name + label + ' ' + value(upstream)
      }),
    ),
  )
  return [
    ...valueLines(READY, isReady ? 1 : 0),
    ...perShard,
    ...ROWS.flatMap(({ value, ...family }) => valueLines(family, value(held))),
  ]
}

const READY: MetricFamily = {
  name: 'svc_ready',
  type: 'gauge',
  help: '1 while the owner of a shard is reached.',
}

const SHARD_ROWS: readonly (MetricFamily & { value(upstream: Upstream): number })[] = [
  {
    name: 'svc_door_reached',
    type: 'gauge',
    help: '1 while the owner is reached.',
    value: ({ isOpen }) => (isOpen ? 1 : 0),
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
]

const ROWS: readonly (MetricFamily & { value(held: HeldMessages): number })[] = [
  {
    name: 'svc_door_open_messages',
    type: 'gauge',
    help: 'Messages that are not answered yet.',
    value: ({ size }) => size,
  },
  {
    name: 'svc_door_oldest_seconds',
    type: 'gauge',
    help: 'Age of the oldest message that is not answered yet.',
    value: ({ oldestMs }) => oldestMs / 1000,
  },
  {
    name: 'svc_door_answered_total',
    type: 'counter',
    help: 'Messages that an owner answered.',
    value: ({ answered }) => answered,
  },
  {
    name: 'svc_door_resent_total',
    type: 'counter',
    help: 'Messages that were sent again.',
    value: ({ resent }) => resent,
  },
  {
    name: 'svc_door_expired_total',
    type: 'counter',
    help: 'Messages that no owner answered in time.',
    value: ({ expired }) => expired,
  },
  {
    name: 'svc_door_quarantined_total',
    type: 'counter',
    help: 'Messages that were open when two owners in a row ended.',
    value: ({ quarantined }) => quarantined,
  },
  {
    name: 'svc_door_misplaced_total',
    type: 'counter',
    help: 'Messages that a second look sent to another shard.',
    value: ({ misplaced }) => misplaced,
  },
  {
    name: 'svc_door_unlocated_total',
    type: 'counter',
    help: 'Messages about cards that this door does not know.',
    value: ({ unlocated }) => unlocated,
  },
  {
    name: 'svc_door_refused_total',
    type: 'counter',
    help: 'Messages of ISO 8583 links that the door refused before an owner had them.',
    value: ({ refused }) => refused,
  },
]
