// Jobs of cards, cardholders and disputes.
import type { Job } from '../jobs/job.ts'
import { purgeAuthentications } from './authentications/index.ts'
import { backtestsJob } from './backtests/index.ts'
import { purgeCardTokens } from './card-tokens/index.ts'
import { identityJob, purgeErasedIdentities, rescreenJob } from './cardholders/index.ts'
import { purgeReveals } from './cards/index.ts'
import { disputeExpiry } from './disputes/index.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Lists } from './sanctions/lists.ts'
import { countsJob, purgeUnmatched } from './transactions/index.ts'

export interface IssuingPorts {
  /** Null if none is configured: verifications then wait. */
  identity: IdentityProvider | null
  lists: Lists
  /** Retention of sealed identities and of messages about no card, in milliseconds. */
  identityRetentionMs: number
  unmatchedRetentionMs: number
}

export function issuingJobs(ports: IssuingPorts): readonly Job[] {
  const { identity, lists, identityRetentionMs, unmatchedRetentionMs } = ports
  return [
    ...(identity === null ? [] : [identityJob(identity)]),
    rescreenJob(lists),
    disputeExpiry,
    purgeReveals,
    purgeCardTokens,
    purgeAuthentications,
    countsJob,
    backtestsJob(),
    purgeErasedIdentities(identityRetentionMs),
    purgeUnmatched(unmatchedRetentionMs),
  ]
}
