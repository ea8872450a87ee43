// The stand of benches that settle on a real node.
import { hasAnvil } from '../scripts/chain-peer/anvil.ts'
import { Cleaner } from '../test/faults/cleaner.ts'
import { type SettlementStand, startSettlement } from '../test/harness/settlement.ts'
import type { BenchOptions, Findings } from './measured.ts'

/** The findings of `measure` on a stand of its own; a flaw where npm has no node for it. */
export async function measureOnChain(
  options: BenchOptions,
  measure: (at: SettlementStand, options: BenchOptions) => Promise<Findings>,
): Promise<Findings> {
  if (!hasAnvil)
    return { lines: [], figures: {}, targets: [], flaws: ['npm has anvil for Linux x64 only'] }
  const cleaner = new Cleaner()
  try {
    return await measure(await startSettlement(cleaner), options)
  } finally {
    await cleaner.clean()
  }
}
