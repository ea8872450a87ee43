// Deletes used and expired tokens. The audit log keeps their callers.
import { purgeExpired } from '../../jobs/purge-expired.ts'

const KEPT_MS = 24 * 3_600_000

export const purgeReveals = purgeExpired({
  name: 'purge_reveal_tokens',
  table: 'card_reveal_tokens',
  key: 'hash',
  keptMs: KEPT_MS,
  clock: 'tenant',
})
