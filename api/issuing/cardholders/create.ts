// Creates a cardholder, who is screened before anybody else sees them. Chosen: the verification
// begins at once if the provider's data is complete, else as soon as it is, or on request.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { CardholderChange } from '../../../shared/schemas/cardholder-input.ts'
import type { Context } from '../../context.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { requireActiveProgram } from '../programs/index.ts'
import { recordAlert, recordCardholderEvent } from './event.ts'
import { applyProfileChange, EMPTY_PROFILE } from './profile.ts'
import { type ScreeningPort, screenCardholder } from './screen.ts'
import { insertCardholder } from './store.ts'
import { verifyIfKnown } from './verify.ts'
import { cardholderView } from './view.ts'

/**
 * The engine learns of the cardholder before it learns of their first card: no call waits for it.
 */
export async function createCardholder(
  context: Context,
  { programId, person }: { programId: string; person: CardholderChange },
  { lists }: ScreeningPort,
): Promise<Cardholder> {
  const { principal, now } = context
  const said = applyProfileChange(EMPTY_PROFILE, person, now)
  return write(context, async (sql) => {
    await requireActiveProgram(sql, principal, programId)
    const id = context.newId('ch')
    const { externalId } = said.tenantFields
    await requireFreeExternalId(sql, principal, { table: 'cardholders', externalId, id })
    const made = await insertCardholder(sql, principal, { id, programId, said, now })
    const asked = { verificationId: context.newId('idv'), now }
    const asking = await verifyIfKnown(sql, principal, made, asked)
    const screening = { lists, alertId: context.newId('alert'), now }
    const screened = await screenCardholder(sql, principal, asking, screening)
    const cardholder = cardholderView(screened.cardholder)
    // Both events show the cardholder as GET does from now on.
    await recordCardholderEvent(sql, principal, { type: 'cardholder.created', cardholder, now })
    if (screened.alerted) await recordAlert(sql, principal, cardholder, now)
    return cardholder
  })
}
