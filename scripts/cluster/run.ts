// The cluster that stays up: etcd, PostgreSQL with its standbys, the machines and the front door,
// in this order; and the commands that come while it runs.
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../api/database/migrate.ts'
import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { shardNames } from '../../shared/shards.ts'
import { openTerminal } from '../start/terminal.ts'
import { takeCommands } from './command-socket.ts'
import { Commands } from './commands.ts'
import { Databases } from './databases.ts'
import { startEtcdNodes } from './etcd-nodes.ts'
import { endpointsOf, keepLayout, type Layout, layoutOf, shardsOf } from './layout.ts'
import { doorSocketOf, keepRunning, Machine } from './machine.ts'
import { CELL, foundShard } from './shard.ts'

/** A reader that does not read holds up no supervision. */
const terminal = openTerminal()

function say(line: string): void {
  terminal.write(line + '\n')
}

/**
 * Starts everything, stays up until SIGINT or SIGTERM, and stops it; returns the exit code. Null:
 * as many shards as the cluster has, one at first.
 */
export async function runCluster(
  directory: string,
  etcdBinary: string,
  shards: number | null,
): Promise<number> {
  const layout = await layoutOf(directory, shards)
  const told = toldToStop()
  const started: (() => Promise<unknown>)[] = []
  try {
    const commands = await start(layout, etcdBinary, { started, signal: told.signal })
    if (!told.signal.aborted) {
      say(await commands.run({ command: 'status', force: false }))
      say(guide(layout))
      await once(told.signal, 'abort')
    }
    say('stopping')
    return 0
  } finally {
    for (const stop of started.reverse()) await stop()
  }
}

function toldToStop(): AbortController {
  const told = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => told.abort())
  return told
}

async function start(
  kept: Layout,
  etcdBinary: string,
  { started, signal }: { started: (() => Promise<unknown>)[]; signal: AbortSignal },
): Promise<Commands> {
  const store = await startEtcd(kept, etcdBinary, started)
  say('PostgreSQL')
  let onPrimary = (primary: string): void => keepLayout({ ...kept, primary })
  const databases = await Databases.start({
    ...{ layout: kept, say },
    onPrimary: (name) => onPrimary(name),
  })
  // A promotion that a crash cut is finished by the start.
  const layout = { ...kept, primary: databases.primary }
  started.push(() => databases.stop())
  const databaseUrl = databases.url
  const newOne = (at: Layout['machines'][number]): Machine =>
    new Machine(layout, at, { databaseUrl, say })
  const machines = layout.machines.map(newOne)
  const commands = new Commands({ layout, machines, store, newOne, databases })
  onPrimary = (name) => commands.keepPrimary(name)
  started.push(() => commands.stopAll())
  const server = await takeCommands(layout.directory, (command) => commands.run(command))
  started.push(async () => server.close())
  // A primary that does not start stands until the command promotes another one.
  await databases.untilPrimary(signal)
  if (signal.aborted) return commands
  await migrate(databaseUrl, () => undefined)
  say('machines ' + machines.map(({ at }) => at.name).join(', '))
  await Promise.all(machines.map((machine) => machine.start()))
  const door = keepRunning(
    {
      name: 'door',
      script: 'engine/door/main.ts',
      directory: join(layout.directory, 'door'),
      heap: [],
      environment: {
        SVC_DATA_DIR: join(layout.directory, 'door'),
        SVC_DOOR_PORT: String(layout.doorPort),
        SVC_DOOR_SOCKET: doorSocketOf(layout),
        SVC_SHARDS: String(shardsOf(layout)),
        SVC_MASTER_KEY: layout.masterKey,
        SVC_ETCD: endpointsOf(layout).join(','),
      },
    },
    say,
  )
  started.push(() => door.stop())
  await door.firstReady
  await commands.untilOwned(signal)
  return commands
}

async function startEtcd(
  layout: Layout,
  binary: string,
  started: (() => Promise<unknown>)[],
): Promise<AgreementStore> {
  say('etcd')
  const directory = join(layout.directory, 'etcd')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const nodes = startEtcdNodes({ binary, directory, ports: layout.etcdPorts })
  started.push(() => Promise.all(nodes.map((node) => node.stop())))
  const store = openEtcdStore({
    endpoints: endpointsOf(layout),
    tls: null,
    onFailed: (reason) => say('etcd: ' + reason),
  })
  started.push(() => store.close())
  for (const shard of shardNames(shardsOf(layout))) {
    const journalId = newId('jrn', systemClock.nowMs())
    await foundShard(store, shardKeys(CELL, shard), { journalId, lastSeq: 0 })
  }
  return store
}

function guide({ doorPort, machines, directory }: Layout): string {
  return [
    '',
    'Network messages: http://127.0.0.1:' + doorPort + '/v1/network/messages (front door)',
    ...machines.map(({ name, apiPort }) => 'API of ' + name + ': http://127.0.0.1:' + apiPort),
    'Logs and data: ' + directory,
    'Try: npm run cluster -- kill owner, then npm run cluster -- status',
  ].join('\n')
}
