// Acknowledges decisions of stand-in. Authorization 7: each is listed until its tenant has seen it.
import type { StandInAcknowledgement } from '../../../shared/schemas/stand-in-report.ts'
import { authorOf, type Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { acknowledge, standInOf } from './acknowledge-store.ts'

/**
 * Every decision of the transactions so far counts as seen; a later one of stand-in is open again.
 * Refuses all of them where one is unknown, or was never decided by stand-in.
 */
export async function acknowledgeStandIn(
  context: Context,
  ids: readonly string[],
): Promise<StandInAcknowledgement> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const found = new Map(
      (await standInOf(sql, principal, ids)).map(({ id, standIn }) => [id, standIn]),
    )
    for (const [at, id] of ids.entries()) {
      const param = '/transaction_ids/' + at
      if (!found.has(id)) throw new Refusal('resource_missing', { param })
      if (found.get(id) !== true)
        throw new Refusal('parameter_invalid', {
          param,
          message: 'Stand-in decided none of the authorization requests of this transaction.',
        })
    }
    await acknowledge(sql, principal, { ids, by: authorOf(principal), now })
    return {
      object: 'stand_in_acknowledgement',
      livemode: principal.environment === 'live',
      transaction_ids: [...ids],
    }
  })
}
