// What an approval holds back: the amount, and what the merchant's line of business will add to it. A fuel pump asks for one
// unit before anybody knows the sum; a restaurant's bill grows by the tip.
import { currencyExponent } from '../../shared/money.ts'
import type { HoldAdjustment } from '../../shared/wire/facts.ts'
import { isMccListed } from './listed.ts'
import { maxApprovable } from './max-approvable.ts'
import type { Judged } from './rule.ts'

/** Chosen: what programs have that set nothing. The amount of a pump is one of currencies with two decimals only. */
const PRESETS: readonly HoldAdjustment[] = [
  { mccs: ['5542'], mode: 'replace', value: 10_000, max_cents: null },
  { mccs: ['5812', '5813', '5814'], mode: 'add_percent', value: 20, max_cents: null },
]
const PRESET_DECIMALS = 2
const PRESET_MCCS: ReadonlySet<string> = new Set(PRESETS.flatMap(({ mccs }) => mccs))

/**
 * Minor units of the card's currency to hold back for an approval of `approvedCents`. Never less than that, and a buffer never
 * takes more than the limits leave, so it never causes a decline. It grows with the approved amount: what is reserved for the
 * whole is enough for a part.
 */
export function holdCents(judged: Judged, approvedCents: number): number {
  const { program, message, card } = judged
  if (approvedCents === 0 || message.kind !== 'authorization') return approvedCents
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

/** What is held beyond the amount, before any limit. Fractions of a percent are not held. */
function bufferOf({ mode, value, max_cents: most }: HoldAdjustment, approvedCents: number): number {
  const buffer =
    mode === 'replace'
      ? value - approvedCents
      : mode === 'add_amount'
        ? value
        : Math.floor((approvedCents * value) / 100)
  return most === null ? buffer : Math.min(buffer, most)
}
