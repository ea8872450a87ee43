// Creates an operator with a fresh credential. A database administrator creates the first operator.
import { apiKeyHash, newOperatorKey } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { NewOperator } from '../../../shared/schemas/operator.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { write } from '../../write/write.ts'
import { insertOperator } from './store.ts'
import { operatorView } from './view.ts'

/** Only this answer ever shows the credential. */
export async function createOperator(
  context: OperatorContext,
  input: { name: string },
): Promise<NewOperator> {
  const { now: createdAt } = context
  return write(context, (sql) =>
    addOperator(sql, { id: context.newId('op'), name: input.name, createdAt }),
  )
}

/** Adds an operator with a fresh credential, in the caller's transaction. */
export async function addOperator(
  sql: TxSql,
  operator: { id: string; name: string; createdAt: EpochMs },
): Promise<NewOperator> {
  const secret = newOperatorKey()
  const row = { ...operator, hash: apiKeyHash(secret), last4: secret.slice(-4) }
  return { ...operatorView(await insertOperator(sql, row)), secret }
}
