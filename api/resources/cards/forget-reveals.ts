// Forgets tokens that can show nothing any more. The audit log keeps who asked for them.
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { deleteRevealTokens } from './reveal-store.ts'

const KEPT_MS = 24 * 3_600_000
const BATCH = 1000

export const forgetReveals: Timer = {
  name: 'forget reveal tokens',
  run: ({ sql, now }) =>
    tx(sql, (inner) => deleteRevealTokens(inner, { before: now - KEPT_MS, most: BATCH }), {
      safeToRepeat: true,
    }),
}
