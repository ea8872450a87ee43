// Gives a new card an unused number: the range is finite, and each number is drawn at random.
import type { Context } from '../../context.ts'
import { openDerivation } from '../../database/derivation.ts'
import type { TxSql } from '../../database/transaction.ts'
import { takeFromCap } from '../../platform/tenants/index.ts'
import { type CardNumber, newCardNumber } from './card-number.ts'

/** With a million cards, one draw in a thousand is in use. */
const DRAWS_MAX = 8

/** `insert` returns false if another card has the number. Throws if no draw is free. */
export async function issueCard(
  sql: TxSql,
  context: Context,
  insert: (number: CardNumber) => Promise<boolean>,
): Promise<void> {
  await takeFromCap(sql, context.principal, { cap: 'cards_issued', units: 1 })
  const derivation = await openDerivation(sql, context)
  for (let draw = 1; draw <= DRAWS_MAX; draw++) {
    if (await insert(newCardNumber(context, derivation, context.now))) return
  }
  throw new Error('no free card number in ' + DRAWS_MAX + ' draws')
}
