// Cards and payments that compete for the last cent of a limit: none is over.
import { Cleaner } from '../../test/faults/cleaner.ts'
import { LONG } from '../../test/faults/fault.ts'
import { lastCent } from '../../test/faults/last-cent.ts'
import type { BenchOptions, Findings } from '../measured.ts'

/** The rig makes 2,000 tries of each: 10^5, and a fifth for a first look. */
const EFFORT = { full: 50, quick: 10 }

export async function measureLastCent(options: BenchOptions): Promise<Findings> {
  options.log('Cards and payments at one remaining cent.')
  const cleaner = new Cleaner()
  try {
    const effort = { ...LONG, kills: options.quick ? EFFORT.quick : EFFORT.full }
    const { injected, problems, approved } = await lastCent({
      ...{ effort, say: options.log, teardown: (task) => cleaner.teardown(task) },
    })
    return {
      lines: [injected + ', ' + problems.length + ' of them over'],
      figures: { approved, over: problems.length },
      targets: [{ sentence: 'tries that passed a limit', ratio: problems.length, atMost: 0 }],
      flaws: approved === 0 ? ['nothing was approved'] : [],
    }
  } finally {
    await cleaner.clean()
  }
}
