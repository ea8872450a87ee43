// Drafts: their verdicts, and the windows in which an approval counts for them. Nothing here
// changes an answer, a reason or the trace of the decision. Part of judge.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { MeterKey, ShadowVerdict } from '../../shared/wire/journal-entry.ts'
import { askControls } from '../rules/ask-controls.ts'
import type { DraftControl, Judged, Trace } from '../rules/rule.ts'
import { withinLimit } from '../rules/within-limit.ts'

export interface Shadow {
  /** One verdict per draft, in the order of the controls. */
  verdicts: readonly ShadowVerdict[]
  /** Windows of the drafts that would approve: reserved and counted beside those of the message. */
  keys: readonly MeterKey[]
}

const NONE: Shadow = { verdicts: [], keys: [] }

/**
 * Returns every draft's verdict on the message, each as if it were the only control. Free without
 * drafts.
 */
export function judgeDrafts(judged: Judged): Shadow {
  if (judged.drafts.length === 0) return NONE
  const verdicts: ShadowVerdict[] = []
  const keys: MeterKey[] = []
  for (const draft of judged.drafts) {
    const reason = draftReason(underDraft(judged, draft))
    const { id, version } = draft.control
    verdicts.push({ controlId: id, version, reason })
    if (reason === null) for (const key of draft.keys) keys.push(key)
  }
  return { verdicts, keys }
}

function underDraft(judged: Judged, { bound, limits }: DraftControl): Judged {
  return Object.assign({}, judged, { controls: [bound], limits })
}

function draftReason(judged: Judged): DeclineReason | null {
  const trace: Trace = []
  return askControls(judged, trace) ?? withinLimit.judge(judged, trace)
}
