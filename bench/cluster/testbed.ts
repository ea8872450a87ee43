// Three engines as members of a shard over three nodes of etcd, and a front door, all on this
// machine and on one disk. The members have the same config records.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { readMeta } from '../../engine/journal/meta-file.ts'
import { MEMBER_PATHS } from '../../engine/member/link-paths.ts'
import { memberAuthorization } from '../../engine/member/member-token.ts'
import { Peers } from '../../engine/member/peer.ts'
import type { EtcdNode } from '../../scripts/cluster/etcd-nodes.ts'
import { foundShard, viewShard } from '../../scripts/cluster/shard.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { writeApprovals } from '../../test/faults/many-entries.ts'
import { type EngineTestbed, startEngine } from '../line/engine.ts'
import { DATABASE, fillConfig } from '../line/engine-alone.ts'
import { newDirectory } from '../machine.ts'
import { freePort } from '../server-process.ts'
import { type Agreement, freePorts, startAgreement } from './agreement.ts'
import { type Harm, inflict } from './harms.ts'

const MEMBERS = 3
const LOOK_MS = 20
const HELD_CARDS = 100_000
const SEGMENT_BYTES = 16 * 1024 * 1024
const KEYS = shardKeys('main', 's1')
const DOOR = new URL('../../engine/door/main.ts', import.meta.url).pathname

export interface ClusterTestbed {
  /** The member that owns the shard at the start. */
  readonly first: EngineTestbed
  readonly doorPort: number
  /** Processor time of the nodes of etcd together, in microseconds. */
  etcdCpuUs(): number
  /** Processor time of the engines that follow. */
  followersCpuUs(): number
  /** Does harm to the shard; the function it resolves with mends it. */
  inflict(harm: Harm): Promise<() => Promise<void>>
  close(): Promise<void>
}

/**
 * Null where etcd is not installed. Each member begins with so many open holds of the last seconds.
 */
export async function openCluster(cards: number, holds: number): Promise<ClusterTestbed | null> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const agreement = await startAgreement(directory, stops)
    if (agreement !== null)
      return { ...(await start(directory, agreement, { cards, holds, stops })), close }
    await close()
    return null
  } catch (error) {
    await close()
    throw error
  }
}

async function start(
  directory: string,
  { nodes, endpoints, store, etcdCpuUs }: Agreement,
  { cards, holds, stops }: { cards: number; holds: number; stops: (() => unknown)[] },
): Promise<Omit<ClusterTestbed, 'close'>> {
  const home = join(directory, 'a')
  const seeded = await fillConfig(home, cards)
  await foundShard(store, KEYS, { journalId: await journalWith(home, holds), lastSeq: holds })
  const members: EngineTestbed[] = []
  // Before the first start: a journal directory that is copied is the same member.
  for (const name of ['b', 'c']) cpSync(home, join(directory, name), { recursive: true })
  const addresses = (await freePorts(MEMBERS)).map((port) => '127.0.0.1:' + port)
  const peers = new Peers({ clock: systemClock, tls: null, authorization: keyOf(home) })
  for (const [place, name] of ['a', 'b', 'c'].entries()) {
    const own = join(directory, name)
    const environment = {
      SVC_ETCD: endpoints.join(','),
      SVC_MEMBER_ADDRESS: addresses[place] ?? '',
    }
    const member = await startEngine({ directory: own, seeded, tenants: 1, environment })
    stops.push(member.close)
    await attach(member)
    members.push(member)
    if (members.length === 1) await member.ready()
  }
  const [first] = members as [EngineTestbed, ...EngineTestbed[]]
  const eligible = async (count: number): Promise<void> => {
    for (;;) {
      const view = await viewShard(store, KEYS)
      const able = view.members.filter(({ report }) => report.ineligible === null)
      if (able.length >= count) return
      await sleep(LOOK_MS)
    }
  }
  await eligible(MEMBERS)
  const door = await startDoor(directory, home, endpoints)
  stops.push(() => ended(door.child))
  return {
    first,
    doorPort: door.port,
    etcdCpuUs,
    followersCpuUs: () => members.slice(1).reduce((sum, { engine }) => sum + engine.cpuUs(), 0),
    inflict: (harm) =>
      inflict(harm, {
        async owner() {
          const statuses = await Promise.all(members.map(({ client }) => client.status()))
          const owner = members[statuses.findIndex(({ ready }) => ready)]
          if (owner === undefined) throw new Error('no member owns the shard')
          return owner
        },
        leader: () => leaderOf(nodes),
        async handOver(owner) {
          const member = members.indexOf(owner)
          const path = MEMBER_PATHS.handOver
          const reply = await peers.call(addresses[member] ?? '', { method: 'POST', path })
          if (reply?.status !== 200) throw new Error('the owner did not hand over')
        },
        whole: () => eligible(MEMBERS),
        async again(member) {
          await member.again()
          await attach(member)
        },
      }),
  }
}

/** The key that members show each other. */
function keyOf(dataDir: string): string {
  const keys = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!keys.ok) throw new Error(keys.error)
  return memberAuthorization(keys.value)
}

/** A database that drained nothing yet. */
async function attach({ client }: EngineTestbed): Promise<void> {
  await client.attach({ database_id: DATABASE, journal: null })
}

/** A journal with so many open holds, or an id for one that is made at the first start. */
async function journalWith(home: string, holds: number): Promise<string> {
  if (holds === 0) return newId('jrn', systemClock.nowMs())
  const journal = join(home, 'journal')
  const placeOf = (index: number) => {
    const card = 'card_' + (index % HELD_CARDS)
    return { card: null, subjects: [card, 'ch_' + card, 'prog_1'] }
  }
  // Small ones: every member begins with a copy.
  await writeApprovals(journal, holds, placeOf, SEGMENT_BYTES)
  const meta = readMeta(journal)
  if (!meta.ok || meta.value === null) throw new Error('the journal was not made')
  return meta.value.journalId
}

async function leaderOf(nodes: readonly EtcdNode[]): Promise<EtcdNode> {
  for (;;) {
    for (const node of nodes) {
      const url = 'http://' + node.endpoint + '/v3/maintenance/status'
      const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
      const status = (await answer?.json()) as { header: { member_id: string }; leader?: string }
      if (status?.leader !== undefined && status.leader === status.header.member_id) return node
    }
    await sleep(LOOK_MS)
  }
}

async function startDoor(
  directory: string,
  home: string,
  endpoints: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort()
  const log = openSync(join(directory, 'door.log'), 'a')
  const child = spawn(process.execPath, [DOOR], {
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: home,
      SVC_DOOR_PORT: String(port),
      SVC_ETCD: endpoints.join(','),
    },
  })
  await once(child, 'message')
  while ((await fetch('http://127.0.0.1:' + port + '/health/ready')).status !== 200)
    await sleep(LOOK_MS)
  return { child, port }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
