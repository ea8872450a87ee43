// Row 3: kills under load, as many as the effort says. Answers are compared with PostgreSQL, the
// engine and the journal.
import { sleep } from '../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import { happens, until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'
import { boundMs, type FaultRun, type Findings } from './fault.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'
import { approvedCents, openWitness, type Witness } from './witness.ts'

const LIMIT_CENTS = 50_000
const POSTGRES_SHARE = 2
const COMING_BACK_SHARE = 0.2

/** A tenant that replies late, and snapshots between the kills. */
export function killedStack(): StackOptions {
  const random = new Random(1)
  return {
    behave: () => ({ kind: 'reply', body: '{"approve":true}', afterMs: random.below(120) }),
    environment: { SVC_SNAPSHOT_ENTRIES: '2000' },
  }
}

/** Kills the engine at random moments while messages arrive; half of the cards ask a tenant. */
export async function killEngineUnderLoad(
  t: FaultRun,
  started: Promise<Stack> = startStack(t, killedStack()),
): Promise<Findings & { answered: number }> {
  const random = new Random(1)
  const stack = await started
  const limited = stack.card('limited_plain')
  const others = ['load_plain_1', 'load_realtime_1', 'load_realtime_2'].map(stack.card)
  const witness = openWitness(stack, [limited, ...others], { purchasesOnly: [limited] })
  const end = new AbortController()
  const running = witness.run(end.signal)
  for (let kill = 1; kill <= t.effort.kills; kill++) {
    // Some kills hit the engine while it starts; the others wait until it is under load, which may
    // take long on a busy machine.
    if (!random.chance(COMING_BACK_SHARE)) await isAnswering(witness)
    await sleep(50 + random.below(750))
    await stack.killEngine()
    t.say('kill ' + kill + ': ' + witness.answered + ' answered')
  }
  await sleep(300)
  end.abort()
  await running
  const problems = await witness.compare()
  const spent = await approvedCents(stack, limited.id)
  if (spent > LIMIT_CENTS) problems.push('the limited card spent ' + spent + ' of ' + LIMIT_CENTS)
  const injected = t.effort.kills + ' kills of the engine under ' + witness.answered + ' answers'
  return { injected, problems, answered: witness.answered }
}

async function isAnswering(witness: Witness): Promise<void> {
  const before = witness.answered
  await until(() => witness.answered > before)
}

/** Kills PostgreSQL; authorizations go on meanwhile, and everything is drained afterwards. */
export async function killPostgresUnderLoad(
  t: FaultRun,
  started: Promise<Stack> = startStack(t),
): Promise<Findings & { answered: number }> {
  const random = new Random(2)
  const kills = Math.ceil(t.effort.kills / POSTGRES_SHARE)
  const stack = await started
  const witness = openWitness(stack, ['load_plain_1', 'load_plain_2'].map(stack.card))
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(100 + random.below(500))
    await stack.killPostgres(async () => {
      const before = witness.answered
      await sleep(200 + random.below(800))
      if (!(await happens(() => witness.answered > before, boundMs(t.effort, AUTH_BUDGET_MS))))
        problems.push('no authorization was answered while PostgreSQL was away')
    })
    t.say('kill ' + kill + ': ' + witness.answered + ' answered')
  }
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const injected = kills + ' kills of PostgreSQL under ' + witness.answered + ' answers'
  return { injected, problems, answered: witness.answered }
}
