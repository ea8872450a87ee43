// Forgets tokens that are over: nobody can use them any more.
import { tx } from '../../database/transaction.ts'
import type { Timer } from '../../timer.ts'
import { deleteCardTokens } from './store.ts'

const KEPT_MS = 24 * 3_600_000
const BATCH = 1000

export const forgetCardTokens: Timer = {
  name: 'forget card tokens',
  run: ({ sql, now }) =>
    tx(sql, (inner) => deleteCardTokens(inner, { before: now - KEPT_MS, most: BATCH }), {
      safeToRepeat: true,
    }),
}
