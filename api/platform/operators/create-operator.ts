// Creates an operator with a fresh credential. A database administrator creates the first operator.

import { apiKeyHash, newOperatorKey } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { NewOperator, Operator, OperatorScope } from '../../../shared/schemas/operator.ts'
import { readCidrs } from '../../access/keys/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { keepingPerson } from './last-person.ts'
import { insertOperator, saveOperatorBounds } from './store.ts'
import { type OperatorRow, operatorView } from './view.ts'

/** Chosen: a credential that nobody bounds works for a year. */
const LIFE_MS = 365 * 86_400_000
/** Two years, and what may be left of the last day (UTC). */
const LIFE_MS_MAX = 2 * LIFE_MS + 86_400_000

/** Only this answer ever shows the credential. */
export async function createOperator(
  context: OperatorContext,
  input: { name: string; scope?: OperatorScope; expires_at?: number; cidrs?: readonly string[] },
): Promise<NewOperator> {
  const { now: createdAt } = context
  const expiresAt = endOf(input.expires_at, createdAt) ?? createdAt + LIFE_MS
  const cidrs = readCidrs(input.cidrs ?? [])
  const { name, scope = 'all' } = input
  return write(context, (sql) =>
    addOperator(sql, { id: context.newId('op'), name, scope, createdAt, expiresAt, cidrs }),
  )
}

/** Changes the end and the addresses of a credential that works. */
export async function boundOperator(
  context: OperatorContext,
  input: {
    id: string
    expires_at?: number
    cidrs?: readonly string[]
    confirm_last_person?: boolean
  },
): Promise<Operator> {
  const { id } = input
  const isConfirmed = input.confirm_last_person === true
  const expiresAt = endOf(input.expires_at, context.now)
  // At a nearer end some person must still work who would have worked without the change.
  const ofEnd = { now: expiresAt ?? context.now, isConfirmed }
  return write(context, async (sql) => {
    const row = await keepingPerson(sql, ofEnd, () =>
      saveOperatorBounds(sql, {
        id,
        ...(expiresAt !== null && { expiresAt }),
        ...(input.cidrs !== undefined && { cidrs: readCidrs(input.cidrs) }),
      }),
    )
    if (row === null) throw new Refusal('resource_missing')
    return operatorView(row)
  })
}

/** Refuses with 400 an end that has passed or lies more than two years and a day ahead. */
function endOf(seconds: number | undefined, now: EpochMs): EpochMs | null {
  if (seconds === undefined) return null
  const at = seconds * 1000
  if (at > now && at <= now + LIFE_MS_MAX) return at
  throw new Refusal('parameter_invalid', {
    param: 'expires_at',
    message: 'This field must be a time ahead, at most two years and a day from now.',
  })
}

/** Adds an operator with a fresh credential, in the caller's transaction. */
export async function addOperator(
  sql: TxSql,
  made: Pick<OperatorRow, 'id' | 'name' | 'createdAt'> &
    Partial<Pick<OperatorRow, 'scope' | 'expiresAt' | 'cidrs'>>,
): Promise<NewOperator> {
  const secret = newOperatorKey()
  const operator = {
    scope: 'all' as const,
    expiresAt: made.createdAt + LIFE_MS,
    cidrs: [],
    ...made,
  }
  const row = { ...operator, hash: apiKeyHash(secret), last4: secret.slice(-4) }
  return { ...operatorView(await insertOperator(sql, row)), secret }
}
