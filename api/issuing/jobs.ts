// Jobs of cards, cardholders and disputes.
import type { Job } from '../jobs/job.ts'
import { spansJob } from '../jobs/mark-spans.ts'
import { purgeExpired } from '../jobs/purge-expired.ts'
import { backtestsJob } from './backtests/index.ts'
import { identityJob, purgeErasedIdentities, rescreenJob } from './cardholders/index.ts'
import { disputeExpiry } from './disputes/index.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Lists } from './sanctions/lists.ts'
import { countsJob, purgeUnmatched, TRANSACTION_SPANS } from './transactions/index.ts'

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
    spansJob(TRANSACTION_SPANS),
    backtestsJob(),
    purgeErasedIdentities(identityRetentionMs),
    purgeUnmatched(unmatchedRetentionMs),
  ]
}

/** Tokens of cards and of their numbers are kept for so long after their end. */
const TOKENS_KEPT_MS = 24 * 3_600_000

/** Used and expired tokens. The audit log keeps their callers. */
export const purgeReveals = purgeExpired({
  name: 'purge_reveal_tokens',
  table: 'card_reveal_tokens',
  key: 'hash',
  keptMs: TOKENS_KEPT_MS,
  clock: 'tenant',
})

/** Expired and used tokens. */
export const purgeCardTokens = purgeExpired({
  name: 'purge_card_tokens',
  table: 'card_tokens',
  key: 'id',
  keptMs: TOKENS_KEPT_MS,
  clock: 'tenant',
})

/**
 * Chosen: after its life a result is kept as long as a payment made with it may still be disputed,
 * by the tenant's clock.
 */
const AUTHENTICATIONS_KEPT_MS = 120 * 86_400_000

/** Results that no payment can name any more. */
export const purgeAuthentications = purgeExpired({
  name: 'purge_authentications',
  table: 'authentications',
  key: 'id',
  keptMs: AUTHENTICATIONS_KEPT_MS,
  clock: 'tenant',
})
