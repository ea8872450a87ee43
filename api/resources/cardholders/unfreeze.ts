// Lifts a freeze: the cardholder has the status it had before.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { lockCardholder, saveFrozen } from './store.ts'
import { cardholderView } from './view.ts'

/** Chosen: a cardholder who is not frozen stays as they are, and the call waits for the engine again, as freezing does. */
export async function unfreezeCardholder(
  context: Context,
  input: { cardholderId: string },
): Promise<Cardholder> {
  const { principal } = context
  return changeConfiguration(context, async (sql) => {
    const { cardholderId } = input
    const cardholder = await lockCardholder(sql, principal, cardholderId)
    if (cardholder === null) throw new Refusal('resource_missing')
    if (!cardholder.frozen) return cardholderView(cardholder)
    return cardholderView(
      await saveFrozen(sql, principal, { cardholderId, frozen: false, reason: null }),
    )
  })
}
