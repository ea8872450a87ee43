// Deletes codes, tokens and states that no call needs any more.
import type { Job } from '../../jobs/job.ts'
import { deleteEndedStates, deleteExpiredTokens } from './store.ts'

/** Chosen: an expired token reads as expired for a day, then as unknown. */
const SHOWN_MS = 86_400_000

export const purgeOauthTokens: Job = {
  name: 'purge_oauth_tokens',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteExpiredTokens(sql, { before: now - SHOWN_MS, max: batch }),
}

export const purgeOauthStates: Job = {
  name: 'purge_oauth_states',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteEndedStates(sql, { now, max: batch }),
}
