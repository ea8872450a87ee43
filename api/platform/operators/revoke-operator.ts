// Revokes an operator's credential: every later call with it fails.
import type { Operator } from '../../../shared/schemas/operator.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { keepingPerson } from './last-person.ts'
import { revokeOperatorRow } from './store.ts'
import { operatorView } from './view.ts'

/**
 * Chosen: operators cannot revoke themselves, so one operator always remains. Revoking a revoked
 * operator changes nothing. Refuses with 409 `last_operator_person` where no operator would be left
 * with a person who has a passkey, unless the caller confirms it.
 */
export async function revokeOperator(
  context: OperatorContext,
  input: { operatorId: string; isConfirmed: boolean },
): Promise<Operator> {
  const { operatorId, isConfirmed } = input
  if (operatorId === context.operatorId) {
    throw new Refusal('parameter_invalid', {
      param: 'id',
      message: 'An operator cannot revoke itself: another one can.',
    })
  }
  return write(context, async (sql) => {
    const { now } = context
    const row = await keepingPerson(sql, { now, isConfirmed }, () =>
      revokeOperatorRow(sql, operatorId),
    )
    if (row === null) throw new Refusal('resource_missing')
    return operatorView(row)
  })
}
