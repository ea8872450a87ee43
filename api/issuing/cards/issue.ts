// Gives a new card a number that nobody has: there are only so many, and each is drawn.
import type { Context } from '../../context.ts'
import { openDerivation } from '../../database/derivation.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type CardNumber, newCardNumber } from './card-number.ts'

/** With a million cards one draw in a thousand is taken. */
const DRAWS_MAX = 8

/** `insert` says false where another card has the number. Throws where no draw is free. */
export async function issueCard(
  sql: TxSql,
  context: Context,
  insert: (number: CardNumber) => Promise<boolean>,
): Promise<void> {
  const derivation = await openDerivation(sql, context)
  for (let draw = 1; draw <= DRAWS_MAX; draw++) {
    if (await insert(newCardNumber(context, derivation, context.now))) return
  }
  throw new Error('no free card number in ' + DRAWS_MAX + ' draws')
}
