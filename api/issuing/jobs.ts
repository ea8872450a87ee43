// Jobs of cards, cardholders and disputes.
import type { Job } from '../jobs/job.ts'
import { purgeAuthentications } from './authentications/index.ts'
import { backtestsJob } from './backtests/index.ts'
import { purgeCardTokens } from './card-tokens/index.ts'
import { identityJob, rescreenJob } from './cardholders/index.ts'
import { purgeReveals } from './cards/index.ts'
import { disputeExpiry } from './disputes/index.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Lists } from './sanctions/lists.ts'
import { countsJob } from './transactions/index.ts'

export interface IssuingPorts {
  /** Null if none is configured: verifications then wait. */
  identity: IdentityProvider | null
  lists: Lists
}

export function issuingJobs({ identity, lists }: IssuingPorts): readonly Job[] {
  return [
    ...(identity === null ? [] : [identityJob(identity)]),
    rescreenJob(lists),
    disputeExpiry,
    purgeReveals,
    purgeCardTokens,
    purgeAuthentications,
    countsJob,
    backtestsJob(),
  ]
}
