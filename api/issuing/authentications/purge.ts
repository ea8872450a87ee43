// Deletes results that no payment can name any more.
import { purgeExpired } from '../../jobs/purge-expired.ts'

/**
 * Chosen: after its life a result is kept as long as a payment made with it may still be disputed,
 * by the tenant's clock.
 */
const KEPT_MS = 120 * 86_400_000

export const purgeAuthentications = purgeExpired({
  name: 'purge_authentications',
  table: 'authentications',
  key: 'id',
  keptMs: KEPT_MS,
  clock: 'tenant',
})
