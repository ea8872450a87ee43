// Names the person of an operator: with a passkey the person works on the pages of operators.
import type { Operator } from '../../../shared/schemas/operator.ts'
import { findVerifiedIdentity } from '../../access/identities/index.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { linkOperatorRow } from './store.ts'
import { operatorView } from './view.ts'

const UNPROVED = 'No person has proved this address.'
const TAKEN = 'This person is another operator already.'

/** A null address ends the link. Refuses with 400 an address that no person proved. */
export async function linkOperator(
  context: OperatorContext,
  input: { id: string; email: string | null },
): Promise<Operator> {
  const email = input.email?.toLowerCase() ?? null
  return write(context, async (sql) => {
    const identity = email === null ? null : await findVerifiedIdentity(sql, email)
    if (email !== null && identity === null)
      throw new Refusal('parameter_invalid', { param: 'email', message: UNPROVED })
    const row = await linkOperatorRow(sql, { id: input.id, identityId: identity?.id ?? null })
    if (row === 'taken') throw new Refusal('already_exists', { param: 'email', message: TAKEN })
    if (row === null) throw new Refusal('resource_missing')
    return operatorView(row)
  })
}
