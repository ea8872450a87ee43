// The drain of journal entries with the count of usage beside it, and without, in turns.

import { meterJob } from '../../api/billing/metering/index.ts'
import { openPool } from '../../api/database/pool.ts'
import { runOnce } from '../../api/jobs/job.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { drained, Journal, measured, openTestbed } from '../drain.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'

const PAGES = { full: 60, quick: 5 }
const RATIO_MIN = 0.97
const SENTENCE = 'drained entries a second with the count of usage beside : without it'
const LOG = createLog({ name: 'bench', level: 'silent' })

export async function measureDrain(options: BenchOptions): Promise<Findings> {
  const stand = await openTestbed()
  // The count has a connection of its own, as in the dispatcher.
  const counting = openPool(stand.postgres.url, { max: 1, applicationName: 'bench-count' })
  try {
    const journal = new Journal(stand.cards)
    const pages = options.quick ? PAGES.quick : PAGES.full
    const drain = () => measured(stand, journal.pages(pages), (page) => drained(stand, page))
    let passed = 0
    const count = async (): Promise<void> => {
      const now = systemClock.nowMs()
      passed += await runOnce(meterJob, { sql: counting, now, clock: systemClock, log: LOG })
    }
    const counted = async () => {
      let isOver = false
      const loop = (async () => {
        while (!isOver) {
          await count()
          await sleep(meterJob.every)
        }
      })()
      const sample = await drain().finally(() => {
        isOver = true
      })
      await loop
      return sample
    }
    await drain()
    await count()
    options.log('Draining with the count beside it, and without, in turns.')
    const rounds = await inTurns({ counted, alone: drain }, pairsOf(options))
    const ratio = ratioOf(
      compare(rounds, ['counted', 'alone'], ({ perSecond }) => perSecond),
      { sentence: SENTENCE, unit: 'entries/s', bound: { atLeast: RATIO_MIN } },
    )
    return {
      lines: ['drained entries a second, counted : alone ' + ratio.ratio],
      figures: { counted_per_s: ratio.ours, alone_per_s: ratio.theirs, events_counted: passed },
      targets: [],
      ratios: [ratio],
      flaws: passed === 0 ? ['nothing was counted'] : [],
    }
  } finally {
    await counting.end({ timeout: 1 })
    await stand.close()
  }
}
