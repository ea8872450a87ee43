// Several shards on one machine: an engine for each, with a directory and a journal of its own, and
// a front door on the network port before them.
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import type { Clock } from '../../shared/clock.ts'
import { FIRST_SHARD, shardNames, shardSocket } from '../../shared/shards.ts'
import type { Environment, StartConfig } from './config.ts'
import { loopbackPort } from './ports.ts'
import type { ProcessName } from './processes.ts'

/** The processes that take network messages; with one shard its engine alone, without a door. */
export async function lineProcesses(
  { shards, engine }: StartConfig,
  environment: Environment,
  isoEnvironment: Environment,
): Promise<[ProcessName, Environment][]> {
  if (shards === 1) return [['engine', { ...environment, ...isoEnvironment }]]
  const processes: [ProcessName, Environment][] = []
  for (const shard of shardNames(shards)) {
    const port = { SVC_ENGINE_PORT: String(await loopbackPort(null)), SVC_ENGINE_HOST: '127.0.0.1' }
    const iso = { SVC_ENGINE_ISO_PORT: undefined }
    processes.push([engineName(shard), { ...environment, ...iso, ...port, SVC_SHARD: shard }])
  }
  const { SVC_ENGINE_ISO_PORT: isoPort, ...iso } = isoEnvironment
  const ports = { SVC_DOOR_PORT: String(engine.port), SVC_DOOR_ISO_PORT: isoPort }
  return [...processes, ['door', { ...environment, ...iso, ...ports }]]
}

function engineName(shard: string): ProcessName {
  return shard === FIRST_SHARD ? 'engine' : (('engine-' + shard) as ProcessName)
}

/** The engine of the first shard, or those of all: a change counts once each covers it. */
export function engineClientOf({ engineSocket, shards }: StartConfig, clock: Clock): EngineClient {
  const clients = shardNames(shards).map((shard) =>
    createEngineClient({ socketPath: shardSocket(engineSocket, shard), clock }),
  )
  const [first = createEngineClient({ socketPath: engineSocket, clock })] = clients
  if (clients.length === 1) return first
  return {
    ...first,
    async covers(xid, deadlineMs) {
      const all = await Promise.all(clients.map((client) => client.covers(xid, deadlineMs)))
      return all.every((covered) => covered)
    },
    async status() {
      const all = await Promise.all(clients.map((client) => client.status()))
      const behind = all.find(({ synced_seq, drained_seq }) => synced_seq !== drained_seq)
      return behind ?? first.status()
    },
    close() {
      for (const client of clients) client.close()
    },
  }
}
