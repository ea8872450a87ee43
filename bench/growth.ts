// Measures costs that must not grow with a user's data: of an authorization with cards and
// controls, of a page of a list with its rows.
import { measureCards } from './growth/cards.ts'
import { measureControls } from './growth/controls.ts'
import { measureLists } from './growth/lists.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'

export const GROWTH: Measured = {
  name: 'growth',
  seconds: { full: 310, quick: 80 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  return measureParts([
    ['controls', () => measureControls(options)],
    ['cards', () => measureCards(options)],
    ['lists', () => measureLists(options)],
  ])
}
