// Jobs of keys, people, sessions, passkeys, factors and platforms.
import type { Job } from '../jobs/job.ts'
import { purgeExpired } from '../jobs/purge-expired.ts'
import { purgeChallenges } from './factors/index.ts'
import { purgeTries } from './identities/index.ts'
import { endPendingKeys } from './keys/index.ts'
import { endMails, purgeMails } from './mails/index.ts'
import { applyFactorResets, purgeFactorResets } from './members/index.ts'
import { purgeCeremonies } from './passkeys/index.ts'
import { purgeProofs } from './proofs/index.ts'
import { purgeSessions } from './sessions/index.ts'

/** Chosen: an expired token reads as expired for a day, then as unknown. */
const TOKENS_SHOWN_MS = 86_400_000

const purgeOauthTokens = purgeExpired({
  name: 'purge_oauth_tokens',
  table: 'oauth_tokens',
  key: 'hash',
  keptMs: TOKENS_SHOWN_MS,
  clock: 'tenant',
})

const purgeOauthStates = purgeExpired({
  name: 'purge_oauth_states',
  table: 'oauth_states',
  key: 'hash',
  keptMs: 0,
  clock: 'installation',
})

export const ACCESS_JOBS: readonly Job[] = [
  endPendingKeys,
  purgeTries,
  purgeSessions,
  purgeCeremonies,
  purgeChallenges,
  endMails,
  purgeMails,
  purgeProofs,
  applyFactorResets,
  purgeFactorResets,
  purgeOauthTokens,
  purgeOauthStates,
]
