// Where a cluster on one machine keeps its things: `cluster.json` in its directory names the ports,
// so that every start has the same addresses.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newMasterKeyText } from '../../shared/keyring.ts'
import { loopbackPort } from '../start/ports.ts'

const FORMAT = 1
const ETCD_NODES = 3
const FIRST_MACHINES = ['a', 'b', 'c']

export interface MachineLayout {
  name: string
  enginePort: number
  linkPort: number
  apiPort: number
}

export interface Layout {
  directory: string
  /** Two per node: for clients, then for the other nodes. */
  etcdPorts: readonly number[]
  postgresPort: number
  doorPort: number
  machines: readonly MachineLayout[]
  /** Every process of the cluster gets the same. */
  masterKey: string
}

/** True for a name that a machine may have. */
export function isName(text: string): boolean {
  return /^[a-z]$/.test(text)
}

/** The layout of a directory, made at the first call. */
export async function layoutOf(directory: string): Promise<Layout> {
  const path = join(directory, 'cluster.json')
  if (existsSync(path)) {
    const { format, ...layout } = JSON.parse(readFileSync(path, 'utf8')) as Layout & {
      format: number
    }
    if (format !== FORMAT) throw new Error(path + ' cannot be read by this version.')
    return { ...layout, directory }
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const machines: MachineLayout[] = []
  for (const name of FIRST_MACHINES) machines.push(await newMachine(name))
  const layout: Layout = {
    directory,
    etcdPorts: await ports(2 * ETCD_NODES),
    postgresPort: await loopbackPort(null),
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

/** A machine with free ports. */
export async function newMachine(name: string): Promise<MachineLayout> {
  const [enginePort = 0, linkPort = 0, apiPort = 0] = await ports(3)
  return { name, enginePort, linkPort, apiPort }
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
