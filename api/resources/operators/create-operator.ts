// Makes an operator with a fresh credential. The first one is made in the database, by whoever may write there.
import { apiKeyHash, newOperatorKey } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { NewOperator } from '../../../shared/schemas/operator.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { write } from '../../write.ts'
import { insertOperator } from './store.ts'
import { operatorView } from './view.ts'

/** The answer is the only place where the credential is ever shown. */
export async function createOperator(
  context: OperatorContext,
  input: { name: string },
): Promise<NewOperator> {
  const { now: createdAt } = context
  return write(context, (sql) =>
    addOperator(sql, { id: context.newId('op'), name: input.name, createdAt }),
  )
}

/** Adds one with a fresh credential, in a transaction of the caller's. */
export async function addOperator(
  sql: TxSql,
  operator: { id: string; name: string; createdAt: EpochMs },
): Promise<NewOperator> {
  const secret = newOperatorKey()
  const row = { ...operator, hash: apiKeyHash(secret), last4: secret.slice(-4) }
  return { ...operatorView(await insertOperator(sql, row)), secret }
}
