// The outcome for one pass of a bulk call: the pass succeeds or is refused, and the others
// continue.
import { assert } from '../../../shared/assert.ts'
import { errorBody } from '../../../shared/error-catalog.ts'
import type { Pass, PassBatch, PassBatchItem } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'

export type Outcome = { pass: Pass } | { refusal: Refusal }

/** For a call about a single pass: a refusal of the pass is the refusal of the call. */
export function soleOutcome(outcomes: readonly Outcome[]): Pass {
  const [outcome] = outcomes
  assert(outcome !== undefined, 'every part of a call has an outcome')
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.pass
}

/** Returns the value of the work, or its refusal. */
export function attempt<Value>(work: () => Value): { value: Value } | { refusal: Refusal } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}

export function batchView({ environment }: Owner, outcomes: readonly Outcome[]): PassBatch {
  const data = outcomes.map(itemView)
  const succeeded = data.filter(({ status }) => status === 'ok').length
  return {
    object: 'pass_batch',
    livemode: environment === 'live',
    data,
    succeeded,
    failed: data.length - succeeded,
  }
}

function itemView(outcome: Outcome, index: number): PassBatchItem {
  if ('pass' in outcome) return { index, status: 'ok', pass: outcome.pass }
  const { code, detail } = outcome.refusal
  const { type, message, param } = errorBody(code, detail.param ?? null, detail.message).error
  return { index, status: 'error', error: { type, code, message, param } }
}
