// The last person of operators: without one only the database opens the pages of operators again.

import type { EpochMs } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { hasWorkingPerson, lockOperators } from '../../access/identities/index.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'

/** The field by which a caller goes on. */
export const LAST_PERSON_CONFIRMED = {
  confirm_last_person: described(
    Type.Optional(Type.Boolean()),
    'True goes on where no operator would be left with a person who has a passkey.',
  ),
}

/**
 * Makes a change of operators. Throws 409 `last_operator_person` where it ends the last person with
 * a passkey, as things stand at `now`, and the caller did not confirm that. Two changes at once:
 * the second waits, and finds the first.
 */
export async function keepingPerson<Result>(
  sql: TxSql,
  { now, isConfirmed }: { now: EpochMs; isConfirmed: boolean },
  change: () => Promise<Result>,
): Promise<Result> {
  await lockOperators(sql)
  const had = await hasWorkingPerson(sql, { now })
  const result = await change()
  if (had && !isConfirmed && !(await hasWorkingPerson(sql, { now })))
    throw new Refusal('last_operator_person')
  return result
}
