// The one way a call writes: everything it does is one transaction, and a handler has exactly one
// of them.

import type { Call, Context } from '../context.ts'
import { keepLate } from '../database/late-statements.ts'
import type { Sql, SqlTag } from '../database/pool.ts'
import { type TxOptions, type TxSql, tx } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import { useFactor } from './approval.ts'
import { type AuditedCall, auditCall } from './audit.ts'
import {
  claimKey,
  findAnswer,
  keyInUse,
  readyAnswer,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts'
import { KeyedSemaphore, type Turn } from './keyed-semaphore.ts'
import { useSecondOperator } from './second-operator.ts'

/**
 * Chosen: number of writes of one tenant, or of all operators, that are in the database at once;
 * the others wait before it, so that no caller can take all connections of a process. More would
 * wait for each other anyway: a tenant's log is one chain.
 */
const WRITES_MAX = 4
const WRITE_WAIT_MS = 10_000
/** Chosen: a repeat waits this long for the first call; in another process again as long. */
const REPEAT_WAIT_MS = 2000

interface Last {
  /** Sends its statement last in the transaction, whether or not the work ran. */
  last?: ((sql: TxSql) => Promise<void>) | undefined
}

export interface WriteOptions extends TxOptions, Last {}

/** The part of a context that write() needs, for any caller. */
export type WriteContext = Pick<Context, 'sql' | 'requestId' | 'now' | 'seal' | 'unseal' | 'wait'> &
  AuditedCall & { call: Pick<Call, 'keyed' | 'factor' | 'secondOperator'> }

interface Written<Result> {
  result: Result
  /** Null where the call has no key. */
  answer: StoredAnswer | null
}

/**
 * Runs `work` in a transaction and returns its result, which is also the handler's answer: nothing
 * may be added to it afterwards. Refusals roll everything back. Under an Idempotency-Key the work
 * is done once: a repeat gets the answer of the first call. A person's approval is used up together
 * with the effect, or not at all. The audit log gets its row in the same transaction.
 */
export async function write<Result>(
  context: WriteContext,
  work: (sql: TxSql) => Promise<Result>,
  options: WriteOptions = {},
): Promise<Result> {
  const { last, ...txOptions } = options
  const { keyed } = context.call
  // With a key, a repeat finds the result of work whose commit is in doubt instead of doing it
  // again.
  const safeToRepeat = keyed !== null || txOptions.safeToRepeat === true
  const once = (sql: TxSql) => writeOnce(sql, context, { work, last })
  const run = () => tx(context.sql, once, { ...txOptions, safeToRepeat, wait: context.wait })
  const { result, answer } = await inTurn(context, run)
  if (keyed !== null) keyed.answer = answer
  return result
}

const TURNS = new WeakMap<Sql, KeyedSemaphore>()

/** Repeats of one call stand in line behind it, and then its owner's calls behind each other. */
function inTurn<Value>(context: WriteContext, run: () => Promise<Value>): Promise<Value> {
  const turns = TURNS.get(context.sql) ?? new KeyedSemaphore()
  TURNS.set(context.sql, turns)
  const owner = ownerOf(context)
  const write: Turn = {
    name: owner,
    most: WRITES_MAX,
    opens: false,
    waitMs: WRITE_WAIT_MS,
    refusal: overloaded,
  }
  const { keyed } = context.call
  if (keyed === null) return turns.take(write, run)
  const { tenantId, environment } = keyed.owner
  const name = [tenantId, environment, keyed.key].join(' ')
  const repeat = { name, most: 1, opens: true, waitMs: REPEAT_WAIT_MS, refusal: keyInUse }
  return turns.take(repeat, () => turns.take(write, run))
}

function ownerOf(context: WriteContext): string {
  if ('operatorId' in context) return 'operators'
  return context.principal.tenantId + '/' + context.principal.environment
}

function overloaded(): Refusal {
  return new Refusal('overloaded')
}

/**
 * The statements that lock what all writers of a tenant need, its sequence of events and its audit
 * log, are sent together when everything else is done: no round trip passes between them.
 */
async function writeOnce<Result>(
  sql: TxSql,
  context: WriteContext,
  { work, last = nothing }: { work: (sql: TxSql) => Promise<Result> } & Last,
): Promise<Written<Result>> {
  const { keyed, factor, secondOperator } = context.call
  const earlier = keyed === null ? null : await claimKey(sql, context, keyed)
  if (earlier !== null) {
    await last(sql)
    return { result: JSON.parse(earlier.body) as Result, answer: earlier }
  }
  // Before the work, so that of two calls with one approval the second does nothing.
  if (factor !== null) await useFactor(sql, context, factor)
  if (secondOperator !== undefined) await useSecondOperator(sql, context, secondOperator)
  keepLate(sql)
  const result = await work(sql)
  const ready = keyed === null ? null : { keyed, ...readyAnswer(context, keyed, result) }
  await Promise.all([
    auditCall(sql, context, result),
    ready === null ? undefined : storeAnswer(sql, ready.keyed, ready),
    last(sql),
  ])
  return { result, answer: ready?.answer ?? null }
}

async function nothing(): Promise<void> {}

/**
 * For a handler with work outside its transaction, before its one write: returns true if a repeat
 * needs none of that work, because write() will find the answer of the first call.
 */
export async function isAnswered(sql: SqlTag, context: WriteContext): Promise<boolean> {
  const { keyed } = context.call
  return keyed !== null && (await findAnswer(sql, context, keyed)) !== null
}
