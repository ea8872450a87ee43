// Changes a cardholder's data, or whether they are active. The specification lists no event for it.
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { CardholderChange } from '../../../shared/schemas/cardholder-input.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { recordAlert } from './event.ts'
import { applyProfileChange } from './profile.ts'
import { type ScreeningPort, screenCardholder } from './screen.ts'
import { requireUnerased } from './states.ts'
import { lockCardholder, type Profile, saveSaid } from './store.ts'
import { purgeVerification, verifyIfKnown } from './verify.ts'
import { type CardholderRow, cardholderView } from './view.ts'

const DECIDING = ['status', 'name', 'first_name', 'last_name', 'date_of_birth'] as const

/**
 * Chosen: a new name or date of birth makes a new person for the provider, who is asked afresh;
 * until then no card is issued, and issued cards go on, unless the new person is a possible match
 * and is frozen. A rejected cardholder stays so until a verification is requested. The call waits
 * for the engine if it names the status or the person, because only they affect decisions.
 */
export async function updateCardholder(
  context: Context,
  { cardholderId, change }: { cardholderId: string; change: CardholderChange },
  { lists }: ScreeningPort,
): Promise<Cardholder> {
  const { principal, now } = context
  const work = async (sql: TxSql) => {
    const held = await lockCardholder(sql, principal, cardholderId)
    if (held === null) throw new Refusal('resource_missing')
    requireUnerased(held)
    const said = applyProfileChange(saidOf(held), change, now)
    const { externalId } = said.tenantFields
    await requireFreeExternalId(sql, principal, {
      table: 'cardholders',
      externalId,
      id: cardholderId,
    })
    const saved = await saveSaid(sql, principal, { cardholderId, said })
    const asked = { verificationId: context.newId('idv'), now }
    if (isSamePerson(held, saved))
      return cardholderView(await verifyIfKnown(sql, principal, saved, asked))

    const unknown = await purgeVerification(sql, principal, saved, now)
    const asking = await verifyIfKnown(sql, principal, unknown, asked)
    const screening = { lists, alertId: context.newId('alert'), now }
    const screened = await screenCardholder(sql, principal, asking, screening)
    const cardholder = cardholderView(screened.cardholder)
    if (screened.alerted) await recordAlert(sql, principal, cardholder, now)
    return cardholder
  }
  return DECIDING.some((field) => change[field] !== undefined)
    ? writeConfirmed(context, work, { safeToRepeat: true })
    : write(context, work)
}

function saidOf({ name, status, details, externalId, metadata }: CardholderRow): Profile {
  return { name, status, details, tenantFields: { externalId, metadata } }
}

function isSamePerson(one: CardholderRow, other: CardholderRow): boolean {
  return (
    one.name === other.name &&
    one.details.first_name === other.details.first_name &&
    one.details.last_name === other.details.last_name &&
    one.details.date_of_birth === other.details.date_of_birth
  )
}
