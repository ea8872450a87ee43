// Where a cluster on one machine keeps its things: `cluster.json` in its directory names the ports,
// so that every start has the same addresses.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newMasterKeyText } from '../../shared/keyring.ts'
import { loopbackPort } from '../start/ports.ts'

const FORMAT = 2
const ETCD_NODES = 3
const FIRST_MACHINES = ['a', 'b', 'c']
/** The servers of PostgreSQL: any of them may be the primary. */
export const DATABASE_NAMES: readonly string[] = ['a', 'b', 'c']
const FIRST_PRIMARY = 'a'

const STANDBYS = DATABASE_NAMES.length - 1

/** The ports of an engine. */
export interface EngineLayout {
  enginePort: number
  linkPort: number
}

export interface MachineLayout {
  name: string
  /** One per shard, the first one first. */
  engines: readonly EngineLayout[]
  apiPort: number
}

export interface Layout {
  directory: string
  /** Two per node: for clients, then for the other nodes. */
  etcdPorts: readonly number[]
  postgresPort: number
  /** Ports of the other servers of PostgreSQL. */
  standbyPorts: readonly number[]
  /** The server that takes writes, or did at the end of the last run. */
  primary: string
  doorPort: number
  machines: readonly MachineLayout[]
  /** Every process of the cluster gets the same. */
  masterKey: string
}

/** True for a name that a machine may have. */
export function isName(text: string): boolean {
  return /^[a-z]$/.test(text)
}

/** The number of shards of a layout. */
export function shardsOf({ machines }: Layout): number {
  return machines[0]?.engines.length ?? 1
}

/**
 * The layout of a directory, made at the first call. More shards than it has are added; it never
 * has fewer again.
 */
export async function layoutOf(directory: string, shards: number | null): Promise<Layout> {
  const layout = await keptLayout(directory, shards ?? 1)
  const count = shardsOf(layout)
  if (shards === null || shards === count) return layout
  if (shards < count)
    throw new Error('The cluster has ' + count + ' shards; none can be taken away.')
  const machines: MachineLayout[] = []
  for (const machine of layout.machines)
    machines.push({
      ...machine,
      engines: [...machine.engines, ...(await newEngines(shards - count))],
    })
  const grown = { ...layout, machines }
  keepLayout(grown)
  return grown
}

async function keptLayout(directory: string, shards: number): Promise<Layout> {
  const path = join(directory, 'cluster.json')
  if (existsSync(path)) {
    const { format, ...kept } = JSON.parse(readFileSync(path, 'utf8')) as Layout & {
      format: number
    }
    if (format !== FORMAT) throw new Error(path + ' cannot be read by this version.')
    // A release before ran PostgreSQL without standbys.
    const { standbyPorts = await ports(STANDBYS), primary = FIRST_PRIMARY }: Partial<Layout> = kept
    const layout = { ...kept, directory, standbyPorts, primary }
    keepLayout(layout)
    return layout
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const machines: MachineLayout[] = []
  for (const name of FIRST_MACHINES) machines.push(await newMachine(name, shards))
  const layout: Layout = {
    directory,
    etcdPorts: await ports(2 * ETCD_NODES),
    postgresPort: await loopbackPort(null),
    standbyPorts: await ports(STANDBYS),
    primary: FIRST_PRIMARY,
    doorPort: await loopbackPort(null),
    machines,
    masterKey: newMasterKeyText(),
  }
  keepLayout(layout)
  return layout
}

/** Writes the layout, with the master key: mode 0600. */
export function keepLayout(layout: Layout): void {
  const path = join(layout.directory, 'cluster.json')
  const text = JSON.stringify({ format: FORMAT, ...layout }, null, 2) + '\n'
  writeFileSync(path + '.tmp', text, { mode: 0o600 })
  renameSync(path + '.tmp', path)
}

/** A machine with free ports, and an engine for each shard. */
export async function newMachine(name: string, shards: number): Promise<MachineLayout> {
  return { name, engines: await newEngines(shards), apiPort: await loopbackPort(null) }
}

async function newEngines(count: number): Promise<EngineLayout[]> {
  const found = await ports(2 * count)
  return Array.from({ length: count }, (_, at) => {
    return { enginePort: found[2 * at] ?? 0, linkPort: found[2 * at + 1] ?? 0 }
  })
}

async function ports(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await loopbackPort(null))
  return [...found]
}

/** `host:port` of each node of etcd. */
export function endpointsOf({ etcdPorts }: Layout): string[] {
  return etcdPorts.filter((_, at) => at % 2 === 0).map((port) => '127.0.0.1:' + port)
}
