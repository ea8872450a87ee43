// Three engines as members of a shard over three nodes of etcd, and a front door, all on this
// machine and on one disk. The members have the same config records.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { startEtcdNodes } from '../../scripts/cluster/etcd-nodes.ts'
import { findEtcd } from '../../scripts/cluster/find-etcd.ts'
import { foundShard, viewShard } from '../../scripts/cluster/shard.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { type EngineTestbed, startEngine } from '../line/engine.ts'
import { DATABASE, fillConfig } from '../line/engine-alone.ts'
import { newDirectory } from '../machine.ts'
import { cpuUsOf, freePort } from '../server-process.ts'

const MEMBERS = 3
const LOOK_MS = 20
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
  /** Kills the owner; the function it resolves with starts it again until it follows. */
  killOwner(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Null where etcd is not installed. */
export async function openCluster(cards: number): Promise<ClusterTestbed | null> {
  const binary = findEtcd(process.env['SVC_ETCD_BIN'] ?? null, process.env['PATH'] ?? '')
  if (!binary.ok) return null
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    return { ...(await start(directory, binary.value, { cards, stops })), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function start(
  directory: string,
  binary: string,
  { cards, stops }: { cards: number; stops: (() => unknown)[] },
): Promise<Omit<ClusterTestbed, 'close'>> {
  const ports = await freePorts(2 * MEMBERS)
  mkdirSync(join(directory, 'etcd'))
  const nodes = startEtcdNodes({ binary, directory: join(directory, 'etcd'), ports })
  stops.push(() => Promise.all(nodes.map((node) => node.stop())))
  const endpoints = nodes.map(({ endpoint }) => endpoint)
  const store = openEtcdStore({ endpoints, tls: null, onFailed: fail })
  stops.push(() => store.close())
  await foundShard(store, KEYS, { journalId: newId('jrn', systemClock.nowMs()), lastSeq: 0 })
  const home = join(directory, 'a')
  const seeded = await fillConfig(home, cards)
  const members: EngineTestbed[] = []
  // Before the first start: a journal directory that is copied is the same member.
  for (const name of ['b', 'c']) cpSync(home, join(directory, name), { recursive: true })
  for (const name of ['a', 'b', 'c']) {
    const own = join(directory, name)
    const environment = {
      SVC_ETCD: endpoints.join(','),
      SVC_MEMBER_ADDRESS: '127.0.0.1:' + (await freePort()),
    }
    const member = await startEngine({ directory: own, seeded, tenants: 1, environment })
    stops.push(member.close)
    await member.client.attach({ database_id: DATABASE, journal: null })
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
    etcdCpuUs: () => nodes.reduce((sum, { pid }) => sum + cpuUsOf(pid), 0),
    followersCpuUs: () => members.slice(1).reduce((sum, { engine }) => sum + engine.cpuUs(), 0),
    async killOwner() {
      const statuses = await Promise.all(members.map(({ client }) => client.status()))
      const owner = members[statuses.findIndex(({ ready }) => ready)]
      if (owner === undefined) throw new Error('no member owns the shard')
      process.kill(owner.engine.pid, 'SIGKILL')
      return async () => {
        await owner.again()
        await owner.client.attach({ database_id: DATABASE, journal: null })
        await eligible(MEMBERS)
      }
    },
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

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function fail(reason: string): never {
  throw new Error(reason)
}
