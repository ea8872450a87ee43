// What version 2026-12-01 changed: fields of cards and cardholders that were left out where they had no value are always there.
import type { Change } from './change.ts'

/** Its shapes as version 2026-11-20 showed them. */
export const NULL_INSTEAD_OF_ABSENT: Change = {
  card: (card) =>
    withoutNulls(card, ['replaces', 'suspended_by', 'suspend_reason', 'terminate_reason']),
  cardholder: (cardholder) => withoutNulls(cardholder, ['frozen_reason']),
}

function withoutNulls(
  shown: { readonly [name: string]: unknown },
  names: readonly string[],
): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(shown).filter(([name, value]) => value !== null || !names.includes(name)),
  )
}
