// Statements that a transaction keeps for its end. They take the locks that all writers of a tenant
// wait for, and travel to PostgreSQL together with whatever is sent in the same instant: the locks
// last one round trip and the commit.
import type { TxSql } from './transaction.ts'

/** Sends its statement before it first waits. */
type LateStatement = () => Promise<void>

const kept = new WeakMap<TxSql, LateStatement[]>()

/** From now on the transaction keeps its late statements until sendLate(). */
export function keepLate(sql: TxSql): void {
  kept.set(sql, [])
}

/** Runs the statement now, or with sendLate() in a transaction that keeps such statements. */
export async function runLate(sql: TxSql, statement: LateStatement): Promise<void> {
  const waiting = kept.get(sql)
  if (waiting === undefined) return statement()
  waiting.push(statement)
}

/**
 * Sends the kept statements at once, in their order; resolves when all have run. From then on the
 * transaction keeps none.
 */
export async function sendLate(sql: TxSql): Promise<void> {
  const waiting = kept.get(sql) ?? []
  kept.delete(sql)
  await Promise.all(waiting.map((statement) => statement()))
}
