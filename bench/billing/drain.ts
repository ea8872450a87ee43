// The drain of journal entries with the count of usage beside it, and without, in turns.
import { drained, Journal, measured, openTestbed } from '../drain.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, pairsOf, ratioOf } from '../pairs.ts'
import { openCount } from './beside.ts'

const PAGES = { full: 60, quick: 5 }
const RATIO_MIN = 0.97
const SENTENCE = 'drained entries a second with the count of usage beside : without it'

export async function measureDrain(options: BenchOptions): Promise<Findings> {
  const stand = await openTestbed()
  const counting = openCount(stand.postgres.url)
  try {
    const journal = new Journal(stand.cards)
    const pages = options.quick ? PAGES.quick : PAGES.full
    const drain = () => measured(stand, journal.pages(pages), (page) => drained(stand, page))
    await drain()
    await counting.count()
    options.log('Draining with the count beside it, and without, in turns.')
    const sides = {
      counted: () => counting.during(drain),
      alone: async () => {
        const sample = await drain()
        // Counted outside of every measurement: the other side counts its own events alone.
        await counting.count()
        return sample
      },
    }
    const rounds = await inTurns(sides, pairsOf(options))
    const ratio = ratioOf(
      compare(rounds, ['counted', 'alone'], ({ perSecond }) => perSecond),
      { sentence: SENTENCE, unit: 'entries/s', bound: { atLeast: RATIO_MIN } },
    )
    const passed = await counting.count()
    return {
      lines: ['drained entries a second, counted : alone ' + ratio.ratio],
      figures: { counted_per_s: ratio.ours, alone_per_s: ratio.theirs, events_counted: passed },
      targets: [],
      ratios: [ratio],
      flaws: passed === 0 ? ['nothing was counted'] : [],
    }
  } finally {
    await counting.close()
    await stand.close()
  }
}
