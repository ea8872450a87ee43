// A batch of a hundred passes beside five single calls: what each costs the database, and the api.
import { column, rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import type { Scene } from './stand.ts'

const [BATCH, SINGLES] = [100, 5]
/** Of either, in one round: the clock of the processor's time is coarse. */
const AGAIN = { full: 30, quick: 15 }
const RATIO_MAX = 1

interface Sample {
  /** Milliseconds of the processor for a hundred passes in one call, or for five calls. */
  databaseMs: number
  apiMs: number
  wallMs: number
}

export async function measureBatch(scene: Scene, options: BenchOptions): Promise<Findings> {
  const { stand, few } = scene
  const again = options.quick ? AGAIN.quick : AGAIN.full
  const wish = { template_id: few.templateId, holder_name: 'Ada' }
  const batch = { passes: Array(BATCH).fill(wish) }
  options.log('Issuing passes by the hundred and one by one, in turns.')
  const sides = {
    batch: () =>
      sampled(
        scene,
        again,
        async () => void (await stand.call(few, 'POST', '/v1/passes/batch', batch)),
      ),
    singles: () =>
      sampled(scene, again, async () => {
        for (let single = 0; single < SINGLES; single++)
          await stand.call(few, 'POST', '/v1/passes', wish)
      }),
  }
  await inTurns(sides, 1)
  const rounds = await inTurns(sides, pairsOf(options))
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
        sentence: 'processor time of the database for a batch of 100 passes : for 5 single calls',
        unit: 'ms',
        bound: { atMost: RATIO_MAX },
      }),
      ratioOf(api, { sentence: 'processor time of the api for the same', unit: 'ms' }),
    ],
  }
}

async function sampled(
  { stand }: Scene,
  again: number,
  work: () => Promise<void>,
): Promise<Sample> {
  const { api, postgresCpuUs } = stand
  const before = { database: postgresCpuUs(), api: api.cpuUs(), wall: performance.now() }
  for (let run = 0; run < again; run++) await work()
  const each = (ms: number): number => rounded(ms / again)
  return {
    databaseMs: each((postgresCpuUs() - before.database) / 1000),
    apiMs: each((api.cpuUs() - before.api) / 1000),
    wallMs: each(performance.now() - before.wall),
  }
}
