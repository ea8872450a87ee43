// Erases what passes of cards tell of their holder, in the database and in wallets.
import { isDeepStrictEqual } from 'node:util'
import type { TxSql } from '../../database/transaction.ts'
import { momentsOf, nextVersion } from './change.ts'
import { CARD_ENDED, REVOKE_REASON_DEFAULT, type Revoking } from './revoke.ts'
import type { ChangedPass } from './states.ts'
import { lockPassesOfCards } from './store.ts'
import { type PassRow, passView } from './view.ts'
import { pushToWallets, savePasses } from './write-store.ts'

/** Reasons that a caller did not write. */
const OWN_REASONS: readonly (string | null)[] = [null, REVOKE_REASON_DEFAULT, CARD_ENDED]

export interface ErasedPasses {
  /** Every pass of the cards. */
  ids: string[]
  /** The changed ones. The caller records their events, and then erases these too. */
  changes: ChangedPass[]
}

/**
 * Erases in the caller's transaction. Values of placeholders become empty texts. Each changed pass
 * gets a version that wallets fetch. `reason` replaces reasons of callers.
 */
export async function erasePassesOfCards(
  sql: TxSql,
  context: Revoking,
  { cardIds, reason }: { cardIds: readonly string[]; reason: string },
): Promise<ErasedPasses> {
  const { principal, publicUrl } = context
  const moments = momentsOf(context)
  const held = await lockPassesOfCards(sql, principal, cardIds)
  const changes = held.flatMap((before) => {
    const erased = { ...before, ...withoutHolder(before, reason) }
    if (isDeepStrictEqual(erased, before)) return []
    return [{ before, after: nextVersion(before, erased, { ...moments, seen: true }) }]
  })
  const changed = changes.map(({ after }) => after)
  await savePasses(sql, principal, changed)
  await pushToWallets(sql, changed, moments.installationNow)
  return {
    ids: held.map(({ id }) => id),
    changes: changes.map(({ before, after }) => ({
      before: passView(before, publicUrl),
      after: passView(after, publicUrl),
    })),
  }
}

function withoutHolder({ values, revokeReason }: PassRow, reason: string): Partial<PassRow> {
  return {
    holderName: null,
    values: Object.fromEntries(Object.keys(values).map((name) => [name, ''])),
    revokeReason: OWN_REASONS.includes(revokeReason) ? revokeReason : reason,
    externalId: null,
    metadata: {},
  }
}
