// A call of an operator that makes a credential, or through which an operator would get into the
// account of another, goes on only with the approval of a second operator, for exactly this call.
//
// Chosen: a request waits 24 hours, because operators sit in different time zones. The operator
// makes the same call again after the approval, which write() uses up.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { bodyFields } from '../../access/factors/index.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import type { SecondOperator } from '../../write/second-operator.ts'
import { findOpenApproval, findPersons, hasPerson, insertApproval } from './store.ts'

const OPEN_MS = 24 * 3_600_000
const PAGE = '/operator/approvals'
const BY_PASSKEY =
  'This operator has a person, who proves this call with a passkey, on the pages at challenge_url.'
const BY_PERSON =
  'Operators have persons: one of them approves this call with a passkey, on the page at challenge_url.'

export interface OperatorCall {
  operatorId: string
  /** The effect of the call, in a sentence. */
  operation: string
  method: string
  path: string
  /** 64 hex digits over method, path, query and body. */
  fingerprint: string
  body: unknown
  requestId: string
  /** The operator proved the call with a passkey. */
  isProved: boolean
  now: EpochMs
  /** Address where people open the pages, without a slash at the end. */
  pagesUrl: string
}

/** Throws 403 `factor_required` where the operator has a person, and a credential alone calls. */
export async function requirePasskey(
  sql: SqlTag,
  call: Pick<OperatorCall, 'operatorId' | 'isProved' | 'pagesUrl'>,
): Promise<void> {
  if (call.isProved || !(await hasPerson(sql, call.operatorId))) return
  throw new Refusal('factor_required', {
    message: BY_PASSKEY,
    extra: { challenge_url: call.pagesUrl + PAGE },
  })
}

/**
 * Throws 403 `factor_required` where a credential alone may not approve the call.
 *
 * Chosen: until an operator has a person with a passkey, credentials approve each other: the call
 * that names the first person is one of them. From then on each call has the passkey of a person:
 * the approver's, or, where no other operator has a person, the caller's, because nobody else could
 * approve. A person whose operator was revoked counts too: a stolen credential would otherwise
 * revoke the only person first. `bootstrap --lost` begins anew.
 */
export async function requireApprovingPerson(
  sql: SqlTag,
  call: { callerId: string; now: EpochMs; pagesUrl: string },
): Promise<void> {
  if (await mayCredentialApprove(sql, call)) return
  throw new Refusal('factor_required', {
    message: BY_PERSON,
    extra: { challenge_url: call.pagesUrl + PAGE },
  })
}

async function mayCredentialApprove(
  sql: SqlTag,
  call: { callerId: string; now: EpochMs },
): Promise<boolean> {
  const { anywhere, ofCaller, elsewhere } = await findPersons(sql, call)
  return !anywhere || (ofCaller && !elsewhere)
}

/**
 * Returns the approval of another operator for this call; without one throws 403
 * `second_operator_required`, which names the request that the other operator decides. An approval
 * by a credential alone ends when a credential alone may no longer approve the call.
 */
export async function requireSecondOperator(
  sql: SqlTag,
  call: OperatorCall,
): Promise<SecondOperator> {
  await requirePasskey(sql, call)
  const acceptsUnproved = await mayCredentialApprove(sql, {
    callerId: call.operatorId,
    now: call.now,
  })
  const open = await findOpenApproval(sql, { ...call, acceptsUnproved })
  if (open !== null && open.state === 'approved')
    return { approvalId: open.id, approvedBy: open.decidedBy ?? '' }
  const id = open?.id ?? newId('oap', call.now)
  if (open === null)
    await insertApproval(sql, {
      ...{ id, createdAt: call.now, expiresAt: call.now + OPEN_MS, fields: bodyFields(call.body) },
      ...{ operatorId: call.operatorId, operation: call.operation, method: call.method },
      ...{ path: call.path, fingerprint: call.fingerprint, requestId: call.requestId },
    })
  throw new Refusal('second_operator_required', {
    extra: { challenge_url: call.pagesUrl + PAGE, resource_id: id },
  })
}
