// Names the person of an operator: with a passkey the person works on the pages of operators.
import type { Operator } from '../../../shared/schemas/operator.ts'
import { findVerifiedIdentity } from '../../access/identities/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import { Refusal } from '../../http/refusal.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import type { HttpServices } from '../../http/services.ts'
import { write } from '../../write/write.ts'
import { keepingPerson } from './last-person.ts'
import { hasLinkedOperator, linkOperatorRow } from './store.ts'
import { operatorView } from './view.ts'

const UNPROVED = 'No person has proved this address.'
const TAKEN = 'This person is another operator already.'
const NARROW = 'Only an operator whose scope is all may have a person.'
const OPERATORS_PAGE = '/operator/operators'
const BY_PASSKEY =
  'Operators have persons: one of them proves this call with a passkey, on the page at challenge_url.'

/**
 * A null address ends the link. Refuses with 400 an address that no person proved, and with 409
 * `last_operator_person` where no operator would be left with a person who has a passkey.
 *
 * Chosen: a credential alone names the first person of an installation. From then on 403
 * `factor_required` refuses it, even where that operator was revoked: whoever holds a credential
 * would otherwise become the person whose passkey proves what a credential may not do.
 */
export async function linkOperator(
  context: OperatorContext,
  input: { id: string; email: string | null; isConfirmed: boolean },
  ports: Pick<HttpServices, 'authUrl' | 'publicUrl'>,
): Promise<Operator> {
  const email = input.email?.toLowerCase() ?? null
  const { now } = context
  return write(context, (sql) =>
    keepingPerson(sql, { now, isConfirmed: input.isConfirmed }, async () => {
      if (context.call.factor === null) await requireLinkProof(sql, pagesUrlOf(ports))
      const identity = email === null ? null : await findVerifiedIdentity(sql, email)
      if (email !== null && identity === null)
        throw new Refusal('parameter_invalid', { param: 'email', message: UNPROVED })
      const row = await linkOperatorRow(sql, { id: input.id, identityId: identity?.id ?? null })
      if (row === 'taken') throw new Refusal('already_exists', { param: 'email', message: TAKEN })
      if (row === 'narrow') throw new Refusal('invalid_state', { message: NARROW })
      if (row === null) throw new Refusal('resource_missing')
      return operatorView(row)
    }),
  )
}

/** Throws 403 `factor_required` for a credential alone once an operator has, or had, a person. */
export async function requireLinkProof(sql: SqlTag, pagesUrl: string): Promise<void> {
  if (!(await hasLinkedOperator(sql))) return
  throw new Refusal('factor_required', {
    message: BY_PASSKEY,
    extra: { challenge_url: pagesUrl + OPERATORS_PAGE },
  })
}
