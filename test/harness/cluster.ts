// A shard of three engine processes over a real etcd, each member with a directory of its own.
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type ShardKeys, shardKeys } from '../../engine/agreement/keys.ts'
import { foundTransaction, type Owner, readOwner } from '../../engine/agreement/protocol.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { parseReport } from '../../engine/ownership/members.ts'
import type { EtcdNode } from '../../scripts/cluster/etcd-nodes.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { type ConfigCacheChange, pushConfig } from './engine.ts'
import { type EngineChild, startEngineChild } from './engine-child.ts'
import { agreeOnLeader, etcdNodes, etcdStore, ranged, settled } from './etcd.ts'
import { freePorts } from './free-ports.ts'
import type { Teardown } from './postgres.ts'
import { newDataDir } from './start.ts'
import { until } from './until.ts'

const KEYS = shardKeys('main', 's1')
/** Exit code of an engine that lost its shard. */
const LOST = 75

export interface ClusterMember {
  readonly name: string
  readonly directory: string
  engine: EngineChild
  /** Starts the process again, on its directory or on an empty one. */
  restart(): Promise<void>
  /** Waits for a start under way, which may fail now; none follows. */
  settle(): Promise<void>
  /** Removes the journal directory; the process must have ended. */
  loseJournal(): void
}

export interface Cluster {
  readonly nodes: readonly EtcdNode[]
  readonly members: readonly ClusterMember[]
  readonly store: AgreementStore
  readonly keys: ShardKeys
  owner(): Promise<Owner>
  /** The member that owns the shard and answers. */
  owning(): Promise<ClusterMember>
  /** Waits until a member of a later epoch owns the shard. */
  nextOwner(epoch: number): Promise<Owner>
}

export interface ClusterOptions {
  environment?: { readonly [name: string]: string }
  /** Settings of one member. */
  environmentOf?(member: string): { readonly [name: string]: string }
  members?: number
  /** The endpoints that a member uses in place of the nodes' own, for a bad line to etcd. */
  etcdOf?(member: string, endpoints: readonly string[]): readonly string[]
  /** The port of a member's link; a free one when absent. */
  linkPortOf?(member: string): number
  /** The engine's script at this start of a member: another version's. */
  scriptOf?(member: string): string | undefined
  /** Config records beside those of every test. */
  config?: ConfigCacheChange
  /** Bytes of the database of a node of etcd. */
  quotaBytes?: number
  /** The directory of a member, or of the nodes of `etcd`; below the temporary one when absent. */
  directoryOf?(name: string): string
}

/** Starts etcd, founds the shard and starts its members with the test's config records. */
export async function startCluster(t: Teardown, options: ClusterOptions = {}): Promise<Cluster> {
  const { quotaBytes, directoryOf } = options
  const dataDirectory = directoryOf?.('etcd')
  const nodes = await etcdNodes(t, {
    dataDirectory,
    ...(quotaBytes === undefined ? {} : { quotaBytes }),
  })
  const endpoints = nodes.map(({ endpoint }) => endpoint)
  const store = etcdStore(t, endpoints)
  const journalId = newId('jrn', systemClock.nowMs())
  await settled(store, foundTransaction(KEYS, { journalId, lastSeq: 0 }))
  const names = ['a', 'b', 'c', 'd'].slice(0, options.members ?? 3)
  const start = (name: string) => startMember(t, name, endpoints, options)
  const [first = 'a', ...others] = names
  // The first one owns the shard before the others are there.
  const members = [await start(first), ...(await Promise.all(others.map(start)))]
  t.teardown(() => Promise.all(members.map((member) => member.settle())))
  const cluster = clusterOf(t, { nodes, members, store })
  await cluster.owning()
  return cluster
}

/** A start that fails leaves the shard without this member, which its test notices. */
function ignored(): void {}

function clusterOf(
  t: Teardown,
  { nodes, members, store }: Pick<Cluster, 'nodes' | 'members' | 'store'>,
): Cluster {
  let over = false
  t.teardown(() => {
    over = true
  })
  const owner = async (): Promise<Owner> => {
    while (!over) {
      const read = await ranged(store, [{ from: KEYS.owner, until: null }])
      const value = read.outcome === 'read' ? read.reads[0]?.[0]?.value : undefined
      const found = value === undefined ? null : readOwner(value)
      if (found !== null) return found
    }
    throw new Error('the test is over')
  }
  const nextOwner = async (epoch: number): Promise<Owner> => {
    let found = await owner()
    await until(async () => {
      found = await owner()
      return found.epoch > epoch
    })
    return found
  }
  return {
    nodes,
    members,
    store,
    keys: KEYS,
    owner,
    nextOwner,
    async owning() {
      let found: ClusterMember | null = null
      await until(async () => {
        const { memberId } = await owner()
        for (const member of members) {
          const status = await readyOf(member.engine.port)
          if (status === 200 && (await memberIdAt(store, member)) === memberId) found = member
        }
        return found !== null
      })
      if (found === null) throw new Error('unreachable')
      return found
    },
  }
}

/** Waits until an owner answers and every member runs and may take over, as at the start. */
export async function whole(cluster: Cluster): Promise<Cluster> {
  await until(() => agreeOnLeader(cluster.nodes))
  await cluster.owning()
  for (const member of cluster.members) await until(() => mayTakeOver(cluster, member))
  return cluster
}

/** Whether the member's process answers, and its own report says nothing against it. */
async function mayTakeOver({ store, keys }: Cluster, { engine }: ClusterMember): Promise<boolean> {
  const status = await engine.client.status().catch(() => null)
  if (status === null || status.member_id === null) return false
  const read = await ranged(store, [{ from: keys.member(status.member_id), until: null }])
  const value = read.outcome === 'read' ? read.reads[0]?.[0]?.value : undefined
  return value !== undefined && parseReport(value)?.ineligible === null
}

/** The reports of the members, those that are gone included. */
export async function reportsOf({ store, keys }: Pick<Cluster, 'store' | 'keys'>) {
  const read = await ranged(store, [{ from: keys.membersBegin, until: keys.membersEnd }])
  const rows = read.outcome === 'read' ? (read.reads[0] ?? []) : []
  return rows.flatMap(({ value }) => parseReport(value) ?? [])
}

/** Why a member may not take over, as it reports; null where it may. */
export async function objectionOf(
  cluster: Pick<Cluster, 'store' | 'keys'>,
  { engine }: ClusterMember,
): Promise<string | null> {
  const network = '127.0.0.1:' + engine.port
  const reports = await reportsOf(cluster)
  return reports.find((report) => report.network === network)?.ineligible ?? null
}

/** The newest member id that reports the member's network port. */
async function memberIdAt(store: AgreementStore, { engine }: ClusterMember): Promise<string> {
  const read = await ranged(store, [{ from: KEYS.membersBegin, until: KEYS.membersEnd }])
  const rows = read.outcome === 'read' ? (read.reads[0] ?? []) : []
  const own = rows
    .filter(({ value }) => parseReport(value)?.network === '127.0.0.1:' + engine.port)
    .sort((one, other) => other.revision - one.revision)[0]
  return own?.key.slice(KEYS.membersBegin.length) ?? ''
}

async function startMember(
  t: Teardown,
  name: string,
  endpoints: readonly string[],
  options: ClusterOptions,
): Promise<ClusterMember> {
  const { environment = {}, environmentOf, config = {}, etcdOf = (_, own) => own } = options
  const directory = options.directoryOf?.(name) ?? newDataDir(t)
  const [port = 0, freePort = 0] = await freePorts(2)
  const linkPort = options.linkPortOf?.(name) ?? freePort
  const start = async (): Promise<EngineChild> => {
    const script = options.scriptOf?.(name)
    const engine = await startEngineChild(t, {
      directory,
      port,
      ...(script === undefined ? {} : { script }),
      environment: {
        SVC_ETCD: etcdOf(name, endpoints).join(','),
        SVC_MEMBER_ADDRESS: '127.0.0.1:' + linkPort,
        SVC_LOG_LEVEL: 'info',
        SVC_OWNER_SILENT_MS: '1000',
        SVC_DRAINED_KEPT_MS: '0',
        ...environment,
        ...environmentOf?.(name),
      },
    })
    const { facts_cursor: cursor, journal_id, first_seq: first } = await engine.client.status()
    // A journal that does not begin with entry 1 belongs to a database that drained it.
    const journal = first === 1 ? null : { journal_id, seq: first - 1 }
    await engine.client.attach({ database_id: 'test', journal })
    await engine.client.databaseSays(systemClock.nowMs())
    if (cursor === null) await pushConfig(engine, config)
    return engine
  }
  let over = false
  let starting: Promise<void> | null = null
  const member: ClusterMember = {
    name,
    directory,
    engine: await start(),
    restart() {
      const { killed, exitCode, signalCode } = member.engine.child
      // It lost its shard, and was started again already.
      if (starting === null && !killed && exitCode === null && signalCode === null)
        return Promise.resolve()
      starting ??= again().finally(() => {
        starting = null
      })
      return starting
    },
    async settle() {
      over = true
      await starting?.catch(() => undefined)
    },
    loseJournal: () => rmSync(join(directory, 'journal'), { recursive: true, force: true }),
  }
  const again = async (): Promise<void> => {
    await member.engine.exited
    member.engine = await start()
    supervise(member.engine)
  }
  /** On a busy machine an owner may seem silent: it ends, and its supervisor starts it again. */
  const supervise = ({ exited }: EngineChild): void => {
    void exited.then((code) => {
      if (code === LOST && !over) member.restart().catch(ignored)
    })
  }
  supervise(member.engine)
  return member
}

function readyOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', path: '/health/ready' }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.setTimeout(500, () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end()
  })
}

/** The entries of a member's journal from `fromSeq` on, as hex, up to its last synced one. */
export async function journalOf({ engine }: ClusterMember, fromSeq = 1): Promise<string[]> {
  const { synced_seq: last } = await engine.client.status()
  const entries: string[] = []
  while (entries.length < last - fromSeq + 1) {
    const page = await engine.client.journal(fromSeq + entries.length, 1_000_000)
    entries.push(...page.entries.map((bytes) => bytes.toString('hex')))
  }
  return entries
}
