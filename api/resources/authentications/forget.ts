// What no payment can name any more is forgotten.
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { deleteAuthentications } from './store.ts'

/** Chosen: after its life a result is kept as long as a payment made with it may still be disputed, by the tenant's clock. */
const KEPT_MS = 120 * 86_400_000
const BATCH = 1000

export const forgetAuthentications: Timer = {
  name: 'forget 3DS results',
  run: ({ sql, now }) =>
    tx(sql, (inner) => deleteAuthentications(inner, { before: now - KEPT_MS, most: BATCH }), {
      safeToRepeat: true,
    }),
}
