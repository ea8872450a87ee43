// The one way a call writes: everything it does is one transaction, and a handler has exactly one of them.
import type { AnyContext } from './context.ts'
import { type TxOptions, type TxSql, tx } from './database/transaction.ts'

export interface WriteOptions extends TxOptions {
  /** Runs last in the transaction, whether or not the work ran. */
  last?: (sql: TxSql) => Promise<void>
}

/**
 * Runs `work` in a transaction and returns what it returned, which is also what the handler answers: nothing may be added to it
 * afterwards. Refusals roll everything back.
 */
export async function write<Result>(
  context: AnyContext,
  work: (sql: TxSql) => Promise<Result>,
  options: WriteOptions = {},
): Promise<Result> {
  const { last, ...txOptions } = options
  const whole = async (sql: TxSql): Promise<Result> => {
    const result = await work(sql)
    await last?.(sql)
    return result
  }
  return tx(context.sql, whole, txOptions)
}
