// Real etcd nodes for a test, or the reason why it is left out.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import type {
  AgreementStore,
  Ranged,
  Read,
  Transacted,
  Transaction,
  Unknown,
} from '../../engine/agreement/store.ts'
import { type EtcdNode, startEtcdNodes } from '../../scripts/cluster/etcd-nodes.ts'
import { findEtcd } from '../../scripts/cluster/find-etcd.ts'
import { freePorts } from './free-ports.ts'
import type { Teardown } from './postgres.ts'
import { until } from './until.ts'

const found = findEtcd(process.env['SVC_ETCD_BIN'] ?? null, process.env['PATH'] ?? '')

/** Options of a test that needs etcd: where none is installed, tap shows it as skipped, and why. */
export const NEEDS_ETCD = found.ok ? {} : { skip: found.error }

/** Starts nodes and waits until they answer. */
export async function etcdNodes(
  t: Teardown,
  options: { count?: number; quotaBytes?: number; dataDirectory?: string | undefined } = {},
): Promise<readonly EtcdNode[]> {
  if (!found.ok) throw new Error(found.error)
  const { count = 3, dataDirectory, ...rest } = options
  const logDirectory = mkdtempSync(join(tmpdir(), 'svc-etcd-'))
  const directory = dataDirectory ?? logDirectory
  const ports = await freePorts(2 * count)
  const nodes = startEtcdNodes({ binary: found.value, directory, logDirectory, ports, ...rest })
  t.teardown(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    rmSync(logDirectory, { recursive: true, force: true })
  })
  for (const node of nodes) {
    const store = etcdStore(t, [node.endpoint])
    await until(async () => (await ranged(store, [{ from: '/', until: null }])).outcome === 'read')
  }
  return nodes
}

/** The store behind these endpoints, with its thread, until the test ends. */
export function etcdStore(t: Teardown, endpoints: readonly string[]): AgreementStore {
  const store = openEtcdStore({
    endpoints,
    tls: null,
    onFailed: (reason) => {
      throw new Error(reason)
    },
  })
  t.teardown(() => store.close())
  return store
}

export function transacted(
  store: AgreementStore,
  transaction: Transaction,
): Promise<Transacted | Unknown> {
  return new Promise((resolve) => store.transact(transaction, resolve))
}

/**
 * Repeats a transaction until its outcome is known: a busy machine answers late. An earlier try may
 * have been applied.
 */
export async function settled(
  store: AgreementStore,
  transaction: Transaction,
): Promise<Transacted> {
  for (;;) {
    const outcome = await transacted(store, transaction)
    if (outcome.outcome !== 'unknown') return outcome
  }
}

export function ranged(store: AgreementStore, reads: readonly Read[]): Promise<Ranged | Unknown> {
  return new Promise((resolve) => store.range(reads, resolve))
}

/** A node as its own status page tells; null where it does not answer. */
async function statusOf({ endpoint }: { endpoint: string }) {
  const url = 'http://' + endpoint + '/v3/maintenance/status'
  const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
  return (await answer?.json()) as { header?: { member_id: string }; leader?: string } | undefined
}

/** The place of the node that leads, as etcd's own status page says; -1 while none does. */
export async function leaderOf(nodes: readonly { endpoint: string }[]): Promise<number> {
  const statuses = await Promise.all(nodes.map(statusOf))
  return statuses.findIndex(
    (status) => status?.leader !== undefined && status.leader === status.header?.member_id,
  )
}

/** True where every node runs and all of them name the same leader. */
export async function agreeOnLeader(nodes: readonly { endpoint: string }[]): Promise<boolean> {
  const leaders = (await Promise.all(nodes.map(statusOf))).map((status) => status?.leader ?? '0')
  return leaders[0] !== '0' && new Set(leaders).size === 1
}
