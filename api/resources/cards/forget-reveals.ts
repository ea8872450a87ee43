// Forgets tokens that can show nothing any more. The audit log keeps who asked for them.
import { forgetExpired } from '../../forget-expired.ts'

const KEPT_MS = 24 * 3_600_000

export const forgetReveals = forgetExpired({
  name: 'forget reveal tokens',
  table: 'card_reveal_tokens',
  key: 'hash',
  keptMs: KEPT_MS,
  clock: 'tenant',
})
