// The hold of an approval: the amount, and the expected addition for the merchant's category. A
// fuel pump requests one unit before the sum is known; a restaurant's bill grows by the tip.
import { currencyExponent } from '../../shared/money.ts'
import type { HoldAdjustment } from '../../shared/wire/config-records.ts'
import { isMccListed } from './listed.ts'
import { maxApprovable } from './max-approvable.ts'
import type { Judged } from './rule.ts'

/**
 * Chosen: defaults for programs without settings. The pump's amount applies to currencies with two
 * decimals only.
 */
const PRESETS: readonly HoldAdjustment[] = [
  { mccs: ['5542'], mode: 'replace', value: 10_000, max_cents: null },
  { mccs: ['5812', '5813', '5814'], mode: 'add_percent', value: 20, max_cents: null },
]
const PRESET_DECIMALS = 2
const PRESET_MCCS: ReadonlySet<string> = new Set(PRESETS.flatMap(({ mccs }) => mccs))

/**
 * Returns the minor units of the card's currency to hold for an approval of `approvedCents`. Never
 * less than that, for a payment exactly that. A buffer never takes more than the limits leave: it
 * never causes a decline. The result grows with the approved amount: the reservation for the whole
 * is enough for a part.
 */
export function holdCents(judged: Judged, approvedCents: number): number {
  const { program, message, card } = judged
  if (approvedCents === 0 || message.kind !== 'authorization') return approvedCents
  if (card.card_type === 'account') return approvedCents
  const preset = program.hold_adjustments.length === 0
  if (preset && !PRESET_MCCS.has(message.mcc)) return approvedCents
  for (const adjustment of preset ? PRESETS : program.hold_adjustments) {
    if (!isMccListed(adjustment.mccs, message.mcc)) continue
    if (
      preset &&
      adjustment.mode === 'replace' &&
      currencyExponent(card.currency) !== PRESET_DECIMALS
    )
      continue
    const wanted = approvedCents + bufferOf(adjustment, approvedCents)
    return Math.max(approvedCents, Math.min(wanted, maxApprovable(judged)))
  }
  return approvedCents
}

/**
 * Returns the addition beyond the amount, before any limit. Fractions of a percent are not held.
 */
function bufferOf({ mode, value, max_cents: most }: HoldAdjustment, approvedCents: number): number {
  const buffer =
    mode === 'replace'
      ? value - approvedCents
      : mode === 'add_amount'
        ? value
        : Math.floor((approvedCents * value) / 100)
  return most === null ? buffer : Math.min(buffer, most)
}
