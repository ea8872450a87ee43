// `npm run faults`: the long form of the kill loops, and what a snapshot of a million open holds costs the answers.
import { parseArgs } from 'node:util'
import { systemClock } from '../../shared/clock.ts'
import { killEngineUnderLoad, killPostgresUnderLoad } from './kill-loops.ts'
import { measureSnapshotStall } from './snapshot-stall.ts'

const HELP = `Usage: npm run faults -- [--kills N] [--only engine|postgres|snapshot]

Kills the engine and PostgreSQL under load N times each (default 50 and a fifth of it), compares what the network was
answered with PostgreSQL and the engine, and measures answers while snapshots of a million open holds are taken.
`

const KILLS_DEFAULT = '50'
const POSTGRES_SHARE = 5

async function main(): Promise<number> {
  const values = readOptions()
  if (typeof values === 'string') {
    process.stderr.write(values + '\n')
    return 2
  }
  const kills = Number(values.kills)
  if (values.help || !Number.isSafeInteger(kills) || kills < 1) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const say = (line: string): void => void process.stdout.write('  ' + line + '\n')
  let failed = 0
  const part = async (
    name: string,
    run: (t: Cleaner) => Promise<{ problems: string[]; summary: string }>,
  ): Promise<void> => {
    if (values.only !== undefined && values.only !== name) return
    process.stdout.write(name + '\n')
    const cleaner = new Cleaner()
    const begin = systemClock.nowMs()
    try {
      const { problems, summary } = await run(cleaner)
      for (const problem of problems.slice(0, 20)) say('PROBLEM ' + problem)
      failed += problems.length
      say(
        summary +
          ', ' +
          problems.length +
          ' problems, ' +
          Math.round((systemClock.nowMs() - begin) / 1000) +
          ' s',
      )
    } finally {
      await cleaner.clean()
    }
  }
  await part('engine', async (t) => {
    const report = await killEngineUnderLoad(t, kills, say)
    return {
      problems: report.problems,
      summary: report.kills + ' kills, ' + report.answered + ' answered',
    }
  })
  await part('postgres', async (t) => {
    const report = await killPostgresUnderLoad(t, Math.ceil(kills / POSTGRES_SHARE), say)
    return {
      problems: report.problems,
      summary: report.kills + ' kills, ' + report.answered + ' answered',
    }
  })
  await part('snapshot', (t) => measureSnapshotStall(t, say))
  return failed === 0 ? 0 : 1
}

/** The options, or what is wrong with them. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        kills: { type: 'string', default: KILLS_DEFAULT },
        only: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What tap's teardown does, for a run without tap: last in, first out. */
class Cleaner {
  readonly #tasks: (() => unknown)[] = []

  teardown(task: () => unknown): void {
    this.#tasks.push(task)
  }

  async clean(): Promise<void> {
    for (const task of this.#tasks.reverse()) await task()
  }
}

process.exitCode = await main()
