// Reads from the trace of a decision the changes to a card, its cardholder and its program while
// their tenant was asked.
import { RULE_CATALOG, type RuleId, type TraceRow } from '../../shared/rule-catalog.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import type { StateVersions } from './recorded-config.ts'
import type { ConfigVersions } from './versions.ts'

/**
 * Returns the state versions found by the last check before an approval, if they changed while the
 * tenant was asked: the state rules are then in the trace a second time.
 */
export function changedWhileAsked(
  entry: DecisionEntry,
  versions: ConfigVersions,
): StateVersions | null {
  const { card, trace } = entry
  const number = RULE_CATALOG.program_active.number
  const again = trace.findIndex((row, index) => index > 0 && row[0] === number)
  if (card === null || again === -1) return null
  const seen = trace.slice(again)
  const found = (rule: RuleId) => seen.find((row) => row[0] === RULE_CATALOG[rule].number)
  const first = <Kept extends { version: number; status: string; frozen?: boolean }>(
    kept: readonly Kept[],
    row: TraceRow | undefined,
  ) => {
    const shown = (configRecord: Kept) =>
      row === undefined ||
      (configRecord.status === row[3] &&
        (configRecord.frozen === undefined || configRecord.frozen === row[4]))
    return (kept.find(shown) ?? kept[0])?.version
  }
  const { cardId, cardVersion, cardholderId, cardholderVersion, programId, programVersion } = card
  const cards = versions.from('card', cardId, cardVersion)
  const holders = versions.from('cardholder', cardholderId, cardholderVersion)
  const programs = versions.from('program', programId, programVersion)
  const state = {
    card: first(cards, found('card_state')) ?? cardVersion,
    cardholder: first(holders, found('cardholder_state')) ?? cardholderVersion,
    program: first(programs, found('program_active')) ?? programVersion,
  }
  const unchanged =
    state.card === cardVersion &&
    state.cardholder === cardholderVersion &&
    state.program === programVersion
  // Another field changed, for example the currency of a limit: any later version shows the same
  // state.
  return unchanged ? { ...state, card: cards[1]?.version ?? cardVersion } : state
}

/** True for an authorization request that had a reservation while its tenant was asked. */
export function waited({ message, decision }: DecisionEntry): boolean {
  if (isNotification(message.kind) || decision.tenant === null) return false
  const { outcome, errorHint } = decision.tenant
  return (
    outcome !== 'not_configured' &&
    outcome !== 'bulkhead_full' &&
    outcome !== 'breaker_open' &&
    errorHint !== 'no_secret'
  )
}
