// A batch of a hundred passes beside five single calls: the cost of each in the database and in the
// api. The database's share is the processor time of the api's sessions, to the microsecond,
// because the server's background work comes at moments of its own.
import { readFileSync } from 'node:fs'
import { column, rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, ratioOf } from '../pairs.ts'
import type { Scene } from './testbed.ts'

const [BATCH, SINGLES] = [100, 5]
/** Repetitions of either in one round, and rounds in turns. */
const AGAIN = 10
const PAIRS = { full: 15, quick: 7 }
const WARM_PAIRS = 2
const RATIO_MAX = 1

interface Sample {
  /** Milliseconds of the processor for a hundred passes in one call, or for five calls. */
  databaseMs: number
  apiMs: number
  wallMs: number
}

export async function measureBatch(scene: Scene, options: BenchOptions): Promise<Findings> {
  const { stand, few } = scene
  const invocation = { template_id: few.templateId, holder_name: 'Ada' }
  const batch = { passes: Array(BATCH).fill(invocation) }
  options.log('Issuing passes by the hundred and one by one, in turns.')
  const sides = {
    batch: () =>
      sampled(scene, async () => void (await stand.call(few, 'POST', '/v1/passes/batch', batch))),
    singles: () =>
      sampled(scene, async () => {
        for (let single = 0; single < SINGLES; single++)
          await stand.call(few, 'POST', '/v1/passes', invocation)
      }),
  }
  await inTurns(sides, WARM_PAIRS)
  const rounds = await inTurns(sides, options.quick ? PAIRS.quick : PAIRS.full)
  const names = ['batch', 'singles'] as const
  const database = compare(rounds, names, ({ databaseMs }) => databaseMs)
  const api = compare(rounds, names, ({ apiMs }) => apiMs)
  const wall = compare(rounds, names, ({ wallMs }) => wallMs)
  return {
    lines: [
      '',
      ['', 'database CPU ms', 'api CPU ms', 'ms'].map(column).join(''),
      [BATCH + ' in a batch', database.ours, api.ours, wall.ours].map(column).join(''),
      [SINGLES + ' single calls', database.theirs, api.theirs, wall.theirs].map(column).join(''),
      '',
    ],
    figures: { batch: { database, api, wall } },
    targets: [],
    flaws: [],
    ratios: [
      ratioOf(database, {
        sentence: 'processor time of the sessions for a batch of 100 passes : for 5 single calls',
        unit: 'ms',
        bound: { atMost: RATIO_MAX },
      }),
      ratioOf(api, { sentence: 'processor time of the api for the same', unit: 'ms' }),
    ],
  }
}

async function sampled({ stand }: Scene, work: () => Promise<void>): Promise<Sample> {
  const { api, sql } = stand
  const before = { database: await sessionsMs(sql), api: api.cpuUs(), wall: performance.now() }
  for (let run = 0; run < AGAIN; run++) await work()
  const wall = performance.now() - before.wall
  const each = (ms: number): number => rounded(ms / AGAIN)
  return {
    databaseMs: each((await sessionsMs(sql)) - before.database),
    apiMs: each((api.cpuUs() - before.api) / 1000),
    wallMs: each(wall),
  }
}

/** Milliseconds of the processor that the sessions of the api have used. */
async function sessionsMs(sql: Scene['stand']['sql']): Promise<number> {
  const sessions = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'svc-api'`
  return sessions.reduce((sum, { pid }) => sum + runningMs(pid), 0)
}

/** As the scheduler counted it: the other counters go by hundredths of a second. */
function runningMs(pid: number): number {
  const [nanoseconds] = readFileSync('/proc/' + pid + '/schedstat', 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
