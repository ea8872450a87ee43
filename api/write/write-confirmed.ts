// The only way a call changes configuration that the engine decides by: a transaction, then a wait
// until the engine has the change.
import type { AnyContext } from '../context.ts'
import type { TxOptions, TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import { write } from './write.ts'

/** Advice for a caller when the engine has not confirmed the change. */
const REPEAT = 'Repeat the call to wait for it again.'
/** With a key a repeated call creates nothing twice. */
const REPEAT_KEYED = 'Repeat the call with its Idempotency-Key to wait for it again.'

/**
 * Runs `work` in a transaction and returns its result only when the engine's config records cover
 * it. A 503 means the change is committed and not confirmed, and names the resource. The caller may
 * repeat every such call: the repeat waits again and changes nothing twice. The exception is a call
 * that creates something without an Idempotency-Key: its `advice` gives the alternative.
 */
export async function writeConfirmed<Result extends { id: string }>(
  context: AnyContext,
  work: (sql: TxSql) => Promise<Result>,
  options: TxOptions & { advice?: string } = {},
): Promise<Result> {
  const { advice, ...txOptions } = options
  let xid = 0n
  // The locks were taken before this id was given out, so it also covers every earlier change of
  // the same rows: a repeat that finds nothing left to change waits for the first call's change,
  // and wakes the link like it.
  const last = async (sql: TxSql): Promise<void> => {
    const [row] = await sql<{ xid: string }[]>`
      select pg_current_xact_id()::text as xid, pg_notify('svc_config', '')`
    xid = BigInt(row?.xid ?? 0)
  }
  const result = await write(context, work, { ...txOptions, last })
  if (await context.call.waitUntilEngineCovers(xid)) return result
  const cure = context.call.keyed === null ? (advice ?? REPEAT) : REPEAT_KEYED
  throw new Refusal('dependency_unavailable', {
    message: 'The change is stored, but the engine has not confirmed it yet. ' + cure,
    extra: { resource_id: result.id },
  })
}
