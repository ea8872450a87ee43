// The one way a call changes what the engine decides by: a transaction, then the wait until the engine has it.
import type { Context } from './context.ts'
import { type TxOptions, type TxSql, tx } from './database/transaction.ts'
import { Refusal } from './refuse.ts'

/**
 * Runs `work` in a transaction and returns its result only when the engine's facts cover it. A 503 means the change is
 * committed and not confirmed; every such call may be repeated, and then waits again without changing anything twice.
 */
export async function changeConfiguration<Result>(
  context: Context,
  work: (sql: TxSql) => Promise<Result>,
  options: TxOptions = {},
): Promise<Result> {
  const change = async (sql: TxSql) => {
    const result = await work(sql)
    // Locks were taken before this id was given out, so it covers every earlier change of the same rows as well: a
    // repeat that finds nothing left to change waits for what the first call changed, and wakes the link like it.
    const [row] = await sql<{ xid: string }[]>`
      select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
    return { result, xid: BigInt(row?.xid ?? 0) }
  }
  const changed = await tx(context.sql, change, options)
  if (await context.engineCovers(changed.xid)) return changed.result
  throw new Refusal('dependency_unavailable', {
    message:
      'The change is stored, but the engine has not confirmed it yet. Repeat the call to wait for it again.',
  })
}
