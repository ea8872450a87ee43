// The commands of `npm run placement`.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { forgetShard } from '../../api/engine-link/forget-shard.ts'
import { type Group, moveGroup } from '../../api/engine-link/move-group.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse, SHOW_HELP } from '../../shared/command-line.ts'
import { shardNames, shardSocket } from '../../shared/shards.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

/** The words of a command, understood. */
type Order =
  | { command: 'list' }
  | { command: 'move'; group: Group; shard: string }
  | { command: 'forget'; shard: string }

/** Runs the command of the arguments; returns the exit code. */
export async function main(): Promise<number | typeof SHOW_HELP> {
  const { values, positionals } = parseArgs({
    options: { program: { type: 'string' } },
    allowPositionals: true,
  })
  const order = orderOf(positionals, values.program)
  if (order === null) return SHOW_HELP
  const settings = readScriptSettings([
    'DATABASE_URL',
    'SVC_DATA_DIR',
    'SVC_SHARDS',
    'SVC_ENGINE_SOCKET',
  ])
  if (!settings.ok) return refuse(settings.error.join('\n'))
  const { SVC_DATA_DIR: dataDir, SVC_SHARDS: shards, SVC_ENGINE_SOCKET: socket } = settings.value
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null)
    return refuse('DATABASE_URL is not set and no npm start runs on ' + dataDir + '.')
  const sql = openPool(url, { max: 1, applicationName: 'svc-placement' })
  const place = { sql, url, shards, firstSocket: socket ?? join(dataDir, 'engine.sock') }
  try {
    if (order.command === 'list') return await list(sql)
    if (order.command === 'forget') return await forget(place, order.shard)
    return await move(place, order)
  } catch (error) {
    return refuse(connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function orderOf(words: readonly string[], program: string | undefined): Order | null {
  const [command, first, second, third, ...rest] = words
  if (command === undefined) return { command: 'list' }
  if (command === 'forget')
    return first === undefined || second !== undefined ? null : { command, shard: first }
  const group = command === 'move' ? groupOf(first, second, program) : null
  if (group === null || third === undefined || rest.length > 0) return null
  return { command: 'move', group, shard: third }
}

interface Place {
  sql: Sql
  url: string
  shards: number
  firstSocket: string
}

async function move(
  { sql, url, shards, firstSocket }: Place,
  { group, shard }: { group: Group; shard: string },
): Promise<number> {
  const lock = openPool(url, { max: 1, applicationName: 'svc-placement-lock' })
  const clients = shardNames(shards).map((name) =>
    createEngineClient({ socketPath: shardSocket(firstSocket, name), clock: systemClock }),
  )
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  try {
    const moved = await moveGroup({ sql, lock, clients, signal: ended.signal }, group, shard)
    if (!moved.ok) return refuse(moved.error)
    const { from, isKnown } = moved.value
    process.stdout.write('Moved from ' + from + ' to ' + shard + '.\n')
    if (!isKnown) process.stdout.write(NOT_KNOWN + '\n')
    return 0
  } finally {
    for (const client of clients) client.close()
    await lock.end({ timeout: 1 })
  }
}

/** Only for a shard that the installation no longer has, and whose engine does not run here. */
async function forget({ sql, shards, firstSocket }: Place, shard: string): Promise<number> {
  if (shardNames(shards).includes(shard))
    return refuse('SVC_SHARDS has ' + shards + ' shards, ' + shard + ' among them: lower it first.')
  const client = createEngineClient({
    socketPath: shardSocket(firstSocket, shard),
    clock: systemClock,
  })
  const runs = await client.status().then(
    () => true,
    () => false,
  )
  client.close()
  if (runs) return refuse('An engine of ' + shard + ' runs: stop it first.')
  const forgotten = await forgetShard(sql, shard)
  if (!forgotten.ok) return refuse(forgotten.error)
  const { journalId, seq } = forgotten.value
  process.stdout.write(
    shard + ' is forgotten; its journal ' + journalId + ' was drained to entry ' + seq + '.\n',
  )
  return 0
}

const NOT_KNOWN =
  'An engine does not have the placement yet. It gets it by itself; until then the group is refused.'

function groupOf(
  tenantId: string | undefined,
  environment: string | undefined,
  programId: string | undefined,
): Group | null {
  if (tenantId === undefined || (environment !== 'sandbox' && environment !== 'live')) return null
  return { tenantId, environment, programId: programId ?? null }
}

async function list(sql: Sql): Promise<number> {
  const shards = await sql<{ shard: string; cards: number }[]>`
    select shard, cards from journal_cursor order by shard`
  const groups = await sql<
    { tenant_id: string; environment: string; program_id: string | null; shard: string }[]
  >`
    select tenant_id, environment, program_id, shard from placements
    order by tenant_id, environment, program_id nulls first`
  const lines = [
    ...shards.map(({ shard, cards }) => shard + '  ' + cards + ' cards at the last count'),
    ...groups.map(({ tenant_id, environment, program_id, shard }) =>
      [tenant_id, environment, program_id ?? '-', shard].join('  '),
    ),
  ]
  process.stdout.write(lines.join('\n') + '\n')
  return 0
}
