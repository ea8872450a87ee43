// A change of the configuration, and the time until the engine has it.
import type { TxSql } from '../../api/database/transaction.ts'
import { tx } from '../../api/database/transaction.ts'
import { systemClock } from '../../shared/clock.ts'
import { happens } from '../harness/until.ts'
import type { Stack } from './stack.ts'

const COVERS_MS = 200

/** Commits `work` and returns its transaction. */
export function changeConfig(
  stack: Pick<Stack, 'sql'>,
  work: (sql: TxSql) => Promise<unknown>,
): Promise<bigint> {
  return tx(stack.sql, async (inner) => {
    await work(inner)
    const [row] = await inner<{ xid: string }[]>`select pg_current_xact_id()::text as xid`
    return BigInt(row?.xid ?? 0)
  })
}

/** Milliseconds until the engine has the transaction; null if it did not within the bound. */
export async function coveredAfter(
  stack: Pick<Stack, 'engine'>,
  xid: bigint,
  msMax: number,
): Promise<number | null> {
  const beganNs = systemClock.monotonicNs()
  const covered = await happens(() => stack.engine.covers(xid, COVERS_MS).catch(() => false), msMax)
  return covered ? (systemClock.monotonicNs() - beganNs) / 1e6 : null
}
