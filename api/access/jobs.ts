// Jobs of keys, people, sessions, passkeys, factors and platforms.
import type { Job } from '../jobs/job.ts'
import { purgeChallenges } from './factors/index.ts'
import { purgeTries } from './identities/index.ts'
import { endPendingKeys } from './keys/index.ts'
import { endMails, purgeMails } from './mails/index.ts'
import { applyFactorResets, purgeFactorResets } from './members/index.ts'
import { purgeOauthStates, purgeOauthTokens } from './oauth/index.ts'
import { purgeCeremonies } from './passkeys/index.ts'
import { purgeProofs } from './proofs/index.ts'
import { purgeSessions } from './sessions/index.ts'

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
