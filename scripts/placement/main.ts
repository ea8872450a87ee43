// The commands of `npm run placement`.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { type Group, moveGroup } from '../../api/engine-link/move-group.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse, SHOW_HELP } from '../../shared/command-line.ts'
import { shardNames, shardSocket } from '../../shared/shards.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

/** Runs the command of the arguments; returns the exit code. */
export async function main(): Promise<number | typeof SHOW_HELP> {
  const { values, positionals } = parseArgs({
    options: { program: { type: 'string' } },
    allowPositionals: true,
  })
  const [command, tenantId, environment, shard, ...rest] = positionals
  const move = command === 'move' ? groupOf(tenantId, environment, values.program) : null
  if (command !== undefined && (move === null || shard === undefined || rest.length > 0))
    return SHOW_HELP
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
  const first = socket ?? join(dataDir, 'engine.sock')
  const clients = shardNames(shards).map((name) =>
    createEngineClient({ socketPath: shardSocket(first, name), clock: systemClock }),
  )
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  try {
    if (move === null || shard === undefined) return await list(sql)
    const moved = await moveGroup({ sql, clients, signal: ended.signal }, move, shard)
    if (!moved.ok) return refuse(moved.error)
    const { from, isKnown } = moved.value
    process.stdout.write('Moved from ' + from + ' to ' + shard + '.\n')
    if (!isKnown) process.stdout.write(NOT_KNOWN + '\n')
    return 0
  } catch (error) {
    return refuse(connectProblem(error, url))
  } finally {
    for (const client of clients) client.close()
    await sql.end({ timeout: 1 })
  }
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
