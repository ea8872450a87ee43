// Deletes codes, tokens and states that no call needs any more.
import { purgeExpired } from '../../jobs/purge-expired.ts'

/** Chosen: an expired token reads as expired for a day, then as unknown. */
const SHOWN_MS = 86_400_000

export const purgeOauthTokens = purgeExpired({
  name: 'purge_oauth_tokens',
  table: 'oauth_tokens',
  key: 'hash',
  keptMs: SHOWN_MS,
  clock: 'tenant',
})

export const purgeOauthStates = purgeExpired({
  name: 'purge_oauth_states',
  table: 'oauth_states',
  key: 'hash',
  keptMs: 0,
  clock: 'installation',
})
