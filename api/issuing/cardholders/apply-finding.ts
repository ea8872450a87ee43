// Applies the provider's result once. Results come late, twice, out of order or never: the newest
// counts, and a final one stays, so that any order and repetition ends alike.

import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Finding } from '../identity/provider.ts'
import { mayMove, moveKyc } from './kyc.ts'
import type { KycMove } from './states.ts'
import { lockCardholder } from './store.ts'
import {
  findVerification,
  keepFinding,
  lockVerification,
  OPEN_STATES,
  saveVerification,
  type VerificationChange,
} from './verifications.ts'

/** Chosen: a provider that is silent for this long is asked again. */
export const SILENCE_MS_MAX = 3 * 24 * 3_600_000

const EFFECTS: {
  readonly [Status in Finding['status']]: { state: VerificationChange['state']; move: KycMove }
} = {
  processing: { state: 'sent', move: 'resume' },
  requires_action: { state: 'requires_action', move: 'flag' },
  approved: { state: 'approved', move: 'approve' },
  rejected: { state: 'rejected', move: 'reject' },
}

/**
 * Applied: the result changed something. Known: it came before, is older than the present one, or
 * its verification is decided. Unknown: we never asked. `now` is the installation's time.
 */
export async function applyFinding(
  sql: TxSql,
  finding: Finding,
  now: EpochMs,
): Promise<'applied' | 'known' | 'unknown'> {
  const found = await findVerification(sql, finding.verificationId, now)
  if (found === null) return 'unknown'
  const cardholder = await lockCardholder(sql, found, found.cardholderId)
  assert(cardholder !== null, 'a verification has its cardholder')
  const verification = await lockVerification(sql, found.id, now)
  const applied =
    OPEN_STATES.includes(verification.state) && finding.sequence > verification.sequence
  if (!(await keepFinding(sql, verification, { finding, applied })) || !applied) return 'known'

  const { state, move } = EFFECTS[finding.status]
  const dueAt = state === 'sent' ? verification.now + SILENCE_MS_MAX : null
  const { sequence, reasons } = finding
  await saveVerification(sql, verification, { state, dueAt, sequence, attempts: 0, reminders: 0 })
  if (mayMove(cardholder.kyc.status, move)) {
    const change = { move, reasons, verificationId: verification.id, now: verification.now }
    await moveKyc(sql, verification, cardholder, change)
  }
  return 'applied'
}
