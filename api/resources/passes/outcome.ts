// What comes of one pass of a call that is about many: it is done or refused, and the others go on.
import { assert } from '../../../shared/assert.ts'
import { errorBody } from '../../../shared/error-catalog.ts'
import type { Pass, PassBatch, PassBatchItem } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import { Refusal } from '../../refuse.ts'

export type Outcome = { pass: Pass } | { refusal: Refusal }

/** Of a call about a single pass: a refusal is that of the call. */
export function soleOutcome(outcomes: readonly Outcome[]): Pass {
  const [outcome] = outcomes
  assert(outcome !== undefined, 'every part of a call has an outcome')
  if ('refusal' in outcome) throw outcome.refusal
  return outcome.pass
}

/** The work, or what refuses it. */
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
