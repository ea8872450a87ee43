// Kills under load, as often as told: the short form runs with every `npm test`, the long one as `npm run faults`.
import { sleep } from '../../shared/clock.ts'
import type { Teardown } from '../harness/postgres.ts'
import { Random } from '../simulation/random.ts'
import { startStack } from './stack.ts'
import { approvedCents, openWitness } from './witness.ts'

export interface KillReport {
  kills: number
  answered: number
  problems: string[]
}

const LIMIT_CENTS = 50_000

/** Kills the engine `kills` times at random moments while messages arrive; half of the cards ask a tenant. */
export async function killEngineUnderLoad(
  t: Teardown,
  kills: number,
  say: (line: string) => void,
): Promise<KillReport> {
  const random = new Random(1)
  const stack = await startStack(t, {
    behave: () => ({ kind: 'reply', body: '{"approve":true}', afterMs: random.below(120) }),
    environment: {
      SVC_SNAPSHOT_ENTRIES: '2000',
      SVC_JOURNAL_SEGMENT_BYTES: String(4 * 1024 * 1024),
    },
  })
  const { cards } = stack.secrets
  const limited = cards['limited_plain']
  const plan = [limited, cards['load_plain_1'], cards['load_realtime_1'], cards['load_realtime_2']]
  const witness = openWitness(
    stack,
    plan.filter((card) => card !== undefined),
  )
  const end = new AbortController()
  const running = witness.run(end.signal)
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(50 + random.below(750))
    await stack.killEngine()
    say('kill ' + kill + ': ' + witness.answered + ' answered')
  }
  await sleep(300)
  end.abort()
  await running
  const problems = await witness.compare()
  const spent = limited === undefined ? 0 : await approvedCents(stack, limited.id)
  if (spent > LIMIT_CENTS) problems.push('the limited card spent ' + spent + ' of ' + LIMIT_CENTS)
  return { kills, answered: witness.answered, problems }
}

/** Kills PostgreSQL `kills` times; authorizations go on while it is away, and everything is drained afterwards. */
export async function killPostgresUnderLoad(
  t: Teardown,
  kills: number,
  say: (line: string) => void,
): Promise<KillReport> {
  const random = new Random(2)
  const stack = await startStack(t)
  const plan = [stack.secrets.cards['load_plain_1'], stack.secrets.cards['load_plain_2']]
  const witness = openWitness(
    stack,
    plan.filter((card) => card !== undefined),
  )
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(100 + random.below(500))
    await stack.killPostgres(async () => {
      const before = witness.answered
      await sleep(200 + random.below(800))
      if (witness.answered === before)
        problems.push('no authorization was answered while PostgreSQL was away')
    })
    say('kill ' + kill + ': ' + witness.answered + ' answered')
  }
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  return { kills, answered: witness.answered, problems }
}
