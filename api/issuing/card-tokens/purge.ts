// Deletes expired and used tokens.
import { purgeExpired } from '../../jobs/purge-expired.ts'

const KEPT_MS = 24 * 3_600_000

export const purgeCardTokens = purgeExpired({
  name: 'purge_card_tokens',
  table: 'card_tokens',
  key: 'id',
  keptMs: KEPT_MS,
  clock: 'tenant',
})
