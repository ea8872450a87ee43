// Keeps the person of an operator out of reach of a credential alone.
import { isOperator } from '../../access/identities/index.ts'
import { findPerson } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'

const OPERATOR =
  'This person works as an operator: end that first on /operator/operators, with a passkey.'

/**
 * Refuses a credential alone with 403 `factor_required` where this person works as an operator:
 * whoever holds a credential would otherwise become the person.
 */
export async function refuseOperatorPerson(
  sql: TxSql,
  context: OperatorContext,
  identityId: string,
): Promise<void> {
  if (context.call.factor === null) await refuseByKey(sql, identityId)
}

/** The same before a second operator is asked; an unknown person is refused later. */
export async function requirePersonProof(sql: SqlTag, personId: string): Promise<void> {
  const person = await findPerson(sql, personId)
  if (person !== null) await refuseByKey(sql, person.identityId)
}

async function refuseByKey(sql: SqlTag, identityId: string): Promise<void> {
  if (await isOperator(sql, identityId)) throw new Refusal('factor_required', { message: OPERATOR })
}
