// Shadow verdicts of drafts on the messages of a batch, for the counts beside them.
import type { ShadowVerdictRow } from '../issuing/controls/index.ts'
import type { LivedMoment } from './batch.ts'

/** For messages that are new in this batch, so that none counts twice. */
export function shadowVerdicts(moments: readonly LivedMoment[]): ShadowVerdictRow[] {
  return moments.flatMap(({ entry: drained }) => {
    if (drained.to !== 'card_transactions') return []
    const { decision } = drained.entry
    return decision.shadow.map((verdict) => ({ ...verdict, atMs: decision.decidedAtMs }))
  })
}
