// Forgets tokens that can show nothing any more. The audit log keeps who asked for them.
import { purgeExpired } from '../../jobs/purge-expired.ts'

const KEPT_MS = 24 * 3_600_000

export const purgeReveals = purgeExpired({
  name: 'forget reveal tokens',
  table: 'card_reveal_tokens',
  key: 'hash',
  keptMs: KEPT_MS,
  clock: 'tenant',
})
