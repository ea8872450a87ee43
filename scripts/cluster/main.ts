// The commands of `npm run cluster`: one starts the cluster, the others ask the one that runs.
import { parseArgs } from 'node:util'
import { refuse, SHOW_HELP } from '../../shared/command-line.ts'
import { askCluster } from './command-socket.ts'
import { clusterDirectory, hasOwnEtcd, installedEtcd } from './config.ts'
import { isName } from './layout.ts'

const UNNAMED = ['status', 'handover', 'promote', 'adopt']
const NAMED = ['kill', 'pause', 'continue', 'lose', 'add', 'remove']

/** Runs the command of the arguments; returns the exit code. */
export async function main(): Promise<number | typeof SHOW_HELP> {
  const { values, positionals } = parseArgs({
    options: {
      'data-dir': { type: 'string' },
      force: { type: 'boolean' },
      shards: { type: 'string' },
      shard: { type: 'string' },
      beside: { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  })
  const [command = 'up', name, ...rest] = positionals
  if (rest.length > 0) return SHOW_HELP
  if (command === 'init') return (await import('./init.ts')).init()
  const { shard, force = false } = values
  if (command === 'adopt' && hasOwnEtcd())
    return (await import('./adopt.ts')).adopt(values.beside, { force })
  const found = clusterDirectory(values['data-dir'])
  if (!found.ok) return refuse(found.error)
  const directory = found.value
  if (command === 'up') return up(directory, values.shards)
  if (name !== undefined && name !== 'owner' && !isName(name))
    return refuse('A machine is named by one letter, or by the word owner.')
  if (NAMED.includes(command) && name === undefined) return SHOW_HELP
  if (!NAMED.includes(command) && !UNNAMED.includes(command)) return SHOW_HELP
  const answer = await askCluster(directory, { command, name, shard, force })
  if (!answer.ok) return refuse(answer.error)
  process.stdout.write(answer.value + '\n')
  return 0
}

async function up(directory: string, shards: string | undefined): Promise<number> {
  if (shards !== undefined && !/^[1-9]$/.test(shards))
    return refuse('--shards takes a number from 1 to 9.')
  const etcd = installedEtcd()
  if (!etcd.ok) return refuse(etcd.error)
  if ((await askCluster(directory, { command: 'status', force: false })).ok)
    return refuse('A cluster runs in ' + directory + ' already.')
  const { runCluster } = await import('./run.ts')
  return runCluster(directory, etcd.value, shards === undefined ? null : Number(shards))
}
