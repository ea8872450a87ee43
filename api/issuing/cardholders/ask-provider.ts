// The job that calls the identity provider: it sends requested verifications, queries silent
// ones, and gives up unanswered ones. Its calls run outside of any transaction; before and after
// each, the database decides the next step.
import type { EpochMs } from '../../../shared/clock.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import type { Finding, IdentityProvider } from '../identity/provider.ts'
import { applyFinding, SILENCE_MS_MAX } from './apply-finding.ts'
import { mayMove, moveKyc } from './kyc.ts'
import { personOf } from './person.ts'
import { lockCardholder } from './store.ts'
import {
  claimDue,
  type DueVerification,
  lockVerification,
  saveVerification,
  type VerificationChange,
} from './verifications.ts'

const RETRY_MS_MIN = 5000
const RETRY_MS_MAX = 3_600_000
/** Chosen: a provider that is silent after this many further requests will not answer by itself. */
const REMINDERS_MAX = 1
/** Chosen: an unsent verification is retried for this long before an operator has to look. */
const UNSENT_MS_MAX = 7 * 24 * 3_600_000

/** The outcome of a call to the provider. */
type Outcome = Finding | 'accepted' | 'refused' | 'unavailable'

export function identityJob(provider: IdentityProvider): Job {
  return {
    name: 'identity_verifications',
    every: 1000,
    // Longer than any call to the provider takes.
    lease: 60_000,
    batch: 16,
    async run(run) {
      const { sql, now, leaseMs, batch: most } = run
      const due = await tx(sql, (inner) => claimDue(inner, { now, leaseMs, most }))
      await Promise.all(due.map((verification) => pursue(run, provider, verification)))
      return due.length
    },
  }
}

async function pursue(
  world: JobRun,
  provider: IdentityProvider,
  verification: DueVerification,
): Promise<void> {
  const outcome = await callProvider(provider, verification)
  if (outcome === 'refused' || outcome === 'unavailable')
    world.log.warn({ verification_id: verification.id, outcome }, 'identity provider')
  await tx(world.sql, async (sql) => {
    if (typeof outcome === 'object') await applyFinding(sql, outcome, world.now)
    await keepOutcome(sql, verification, { outcome, now: world.now })
  })
}

/**
 * A silent verification is queried first: its result may have been sent while this service was
 * down.
 */
async function callProvider(
  provider: IdentityProvider,
  { id, state, environment, details, sequence }: DueVerification,
): Promise<Outcome> {
  if (state === 'sent') {
    const known = await provider.look(id)
    if (known === 'unavailable') return known
    if (known !== 'unknown' && known.sequence > sequence) return known
  }
  const person = personOf(details)
  // The tenant removed data that the verification needs.
  if (person === null) return 'refused'
  return provider.ask({ verificationId: id, livemode: environment === 'live', person })
}

/** A result that the provider sent meanwhile takes precedence. */
async function keepOutcome(
  sql: TxSql,
  claimed: DueVerification,
  { outcome, now }: { outcome: Outcome; now: EpochMs },
): Promise<void> {
  const cardholder = await lockCardholder(sql, claimed, claimed.cardholderId)
  const verification = await lockVerification(sql, claimed.id, now)
  if (verification.state !== claimed.state || verification.sequence !== claimed.sequence) return

  const next = typeof outcome === 'object' ? null : afterCall(verification, outcome)
  if (next === null) return
  await saveVerification(sql, verification, next.change)
  if (next.reason === null || cardholder === null || !mayMove(cardholder.kyc.status, 'flag')) return
  await moveKyc(sql, verification, cardholder, {
    move: 'flag',
    reasons: [next.reason],
    verificationId: verification.id,
    now: verification.now,
  })
}

interface Next {
  change: VerificationChange
  /** The reason why an operator has to look; null if the verification goes on by itself. */
  reason: string | null
}

type VerificationState = Pick<
  DueVerification,
  'state' | 'attempts' | 'reminders' | 'createdAt' | 'now'
>

/** The next state of a verification after a call without a result. */
function afterCall(
  { state, attempts, reminders, createdAt, now }: VerificationState,
  outcome: 'accepted' | 'refused' | 'unavailable',
): Next {
  if (outcome === 'refused') return lookedAt('provider_refused')
  if (outcome === 'unavailable') {
    if (now - createdAt > UNSENT_MS_MAX) return lookedAt('provider_unreachable')
    const dueAt = now + Math.min(RETRY_MS_MIN * 2 ** attempts, RETRY_MS_MAX)
    return { change: { state, dueAt, attempts: attempts + 1 }, reason: null }
  }
  const asked = state === 'sent' ? reminders + 1 : reminders
  if (asked > REMINDERS_MAX) return lookedAt('provider_silent')
  const dueAt = now + SILENCE_MS_MAX
  return { change: { state: 'sent', dueAt, attempts: 0, reminders: asked }, reason: null }
}

function lookedAt(reason: string): Next {
  return { change: { state: 'requires_action', dueAt: null, attempts: 0 }, reason }
}
