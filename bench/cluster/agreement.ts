// Three nodes of etcd on this machine, and their processor time.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { type EtcdNode, startEtcdNodes } from '../../scripts/cluster/etcd-nodes.ts'
import { findEtcd } from '../../scripts/cluster/find-etcd.ts'
import { sleep } from '../../shared/clock.ts'
import { cpuUsOf, freePort } from '../server-process.ts'

const NODES = 3
const LOOK_MS = 20

export interface Agreement {
  readonly nodes: readonly EtcdNode[]
  readonly endpoints: readonly string[]
  readonly store: AgreementStore
  /** Processor time of the nodes together, in microseconds. */
  etcdCpuUs(): number
}

/** Null where etcd is not installed; the stops are for the caller, the last one first. */
export async function startAgreement(
  directory: string,
  stops: (() => unknown)[],
): Promise<Agreement | null> {
  const binary = findEtcd(process.env['SVC_ETCD_BIN'] ?? null, process.env['PATH'] ?? '')
  if (!binary.ok) return null
  const home = join(directory, 'etcd')
  mkdirSync(home)
  const ports = await freePorts(2 * NODES)
  const nodes = startEtcdNodes({ binary: binary.value, directory: home, ports })
  stops.push(() => Promise.all(nodes.map((node) => node.stop())))
  const endpoints = nodes.map(({ endpoint }) => endpoint)
  const store = openEtcdStore({ endpoints, tls: null, onFailed: fail })
  stops.push(() => store.close())
  const etcdCpuUs = (): number => nodes.reduce((sum, { pid }) => sum + cpuUsOf(pid), 0)
  return { nodes, endpoints, store, etcdCpuUs }
}

/** A node's report of itself. */
export interface NodeStatus {
  id: string
  /** Absent where no node leads. */
  leader?: string
  /** Bytes of its database file. */
  fileBytes: number
}

/** Null where the node does not answer. */
export async function statusOf({ endpoint }: EtcdNode): Promise<NodeStatus | null> {
  const url = 'http://' + endpoint + '/v3/maintenance/status'
  const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
  if (answer === null) return null
  const { header, leader, dbSize } = (await answer.json()) as {
    header: { member_id: string }
    leader?: string
    dbSize?: string
  }
  const status = { id: header.member_id, fileBytes: Number(dbSize ?? 0) }
  return leader === undefined ? status : { ...status, leader }
}

/** The node that leads; waits until one does. */
export async function leaderOf(nodes: readonly EtcdNode[]): Promise<EtcdNode> {
  for (;;) {
    for (const node of nodes) {
      const status = await statusOf(node)
      if (status !== null && status.leader === status.id) return node
    }
    await sleep(LOOK_MS)
  }
}

/** Ports that are free, each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function fail(reason: string): never {
  throw new Error(reason)
}
