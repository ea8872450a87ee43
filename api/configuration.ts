// The one way a call changes what the engine decides by: a transaction, then the wait until the engine has it.
import type { AnyContext } from './context.ts'
import type { TxOptions, TxSql } from './database/transaction.ts'
import { Refusal } from './refuse.ts'
import { write } from './write.ts'

/** What somebody who is told that the engine has not confirmed the change can do about it. */
const REPEAT = 'Repeat the call to wait for it again.'
/** With a key nothing is made twice, whatever the call makes. */
const REPEAT_KEYED = 'Repeat the call with its Idempotency-Key to wait for it again.'

/**
 * Runs `work` in a transaction and returns its result only when the engine's facts cover it. A 503 means the change is
 * committed and not confirmed, and names the resource; every such call may be repeated, and then waits again without changing
 * anything twice, unless it makes something and came without an Idempotency-Key: that one says in `advice` what to do instead.
 */
export async function changeConfiguration<Result extends { id: string }>(
  context: AnyContext,
  work: (sql: TxSql) => Promise<Result>,
  options: TxOptions & { advice?: string } = {},
): Promise<Result> {
  const { advice, ...txOptions } = options
  let xid = 0n
  // Locks were taken before this id was given out, so it covers every earlier change of the same rows as well: a
  // repeat that finds nothing left to change waits for what the first call changed, and wakes the link like it.
  const last = async (sql: TxSql): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`
      select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
    xid = BigInt(row?.xid ?? 0)
  }
  const result = await write(context, work, { ...txOptions, last })
  if (await context.engineCovers(xid)) return result
  const cure = context.keyed === null ? (advice ?? REPEAT) : REPEAT_KEYED
  throw new Refusal('dependency_unavailable', {
    message: 'The change is stored, but the engine has not confirmed it yet. ' + cure,
    extra: { resource_id: result.id },
  })
}
