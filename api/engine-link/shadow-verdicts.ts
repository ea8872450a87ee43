// Shadow verdicts of drafts on the messages of a batch, for the counts beside them.
import type { ShadowVerdictRow } from '../issuing/controls/index.ts'
import type { LivedMoment } from './batch.ts'
import type { PaymentEntry } from './drained-entry.ts'

/** For messages that are new in this batch, so that none counts twice. */
export function shadowVerdicts(
  moments: readonly LivedMoment[],
  payments: readonly PaymentEntry[],
): ShadowVerdictRow[] {
  const entries = [...moments.map(({ entry }) => entry), ...payments]
  return entries.flatMap(({ entry }) => {
    if (entry.kind !== 'decision') return []
    const { decision } = entry
    return decision.shadow.map((verdict) => ({ ...verdict, atMs: decision.decidedAtMs }))
  })
}
