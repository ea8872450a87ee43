// Ends a canceled subscription for another one that takes its place.
import { assert } from '../../../shared/assert.ts'
import type { TxSql } from '../../database/transaction.ts'
import { insertInvoice } from '../invoices/index.ts'
import { lockCursor, uncountedFrom } from '../metering/index.ts'
import type { BillingMoment } from '../require-billing.ts'
import { cutLast } from './apply-roll.ts'
import { saveSubscription } from './store.ts'
import type { SubscriptionRow } from './view.ts'

/**
 * A subscription that was canceled in the middle of a month, because it was not paid, gets its
 * final invoice now. Credit that is left goes with it: it is never paid out.
 */
export async function endSubscription(
  sql: TxSql,
  held: SubscriptionRow,
  { now, installationNow, newId }: BillingMoment,
): Promise<void> {
  const counted = await lockCursor(sql, held)
  await cutLast(sql, held, { now, countsFrom: uncountedFrom(counted, now) })
  if (held.rollsAt !== null && held.rollsAt !== held.activeFrom) {
    const { id: subscriptionId, currency, ordinal } = held
    const draft = await insertInvoice(sql, held, {
      ...{ id: newId('inv'), subscriptionId, kind: 'final' as const, ordinal: ordinal + 1 },
      ...{ currency, at: now, seenDueAt: installationNow, createdAt: now },
    })
    assert(draft !== null, 'a subscription ends once')
  }
  await saveSubscription(sql, held, { endedAt: now, rollsAt: null })
}
