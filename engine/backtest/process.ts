// Runs one backtest in a process of its own, at the lowest priority: it shares neither the memory
// of the engine nor its thread. The process ends with its parent, however the parent ends.
import type { BacktestInput, BacktestOutput } from '../../shared/wire/backtest.ts'
import { lowerPriority } from '../lower-priority.ts'
import { Backtest } from './tally.ts'

let backtest: Backtest | null = null

function outputOf(input: BacktestInput): BacktestOutput {
  if ('order' in input) {
    backtest = new Backtest(input.order)
    return { taken: 0 }
  }
  if (backtest === null) return { failure: 'entries without an order' }
  if ('end' in input) return { result: backtest.result() }
  for (const { seq, bytes } of input.entries) backtest.take(seq, bytes)
  return { taken: input.entries.length }
}

function answer(input: BacktestInput): void {
  try {
    process.send?.(outputOf(input))
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) })
  }
}

lowerPriority()
process.on('message', (input) => answer(input as BacktestInput))
process.on('disconnect', () => process.exit(0))
