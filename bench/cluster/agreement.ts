// Three nodes of etcd on this machine, and their processor time.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { type EtcdNode, startEtcdNodes } from '../../scripts/cluster/etcd-nodes.ts'
import { findEtcd } from '../../scripts/cluster/find-etcd.ts'
import { cpuUsOf, freePort } from '../server-process.ts'

const NODES = 3

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

/** Ports that are free, each another one. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function fail(reason: string): never {
  throw new Error(reason)
}
