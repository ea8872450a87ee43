// Changes the tenant fields of a card. The engine does not use it, therefore no call waits for
// it and the card keeps its version.
import type { Card } from '../../../shared/schemas/card.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { requireUnerasedPerson } from '../../write/erased.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { lockCardOf } from './move.ts'
import { saveTenantFields } from './store.ts'
import { cardView } from './view.ts'

/**
 * A terminated card may be changed too, unless its person is erased (409). The specification lists
 * no event for it.
 */
export async function updateCard(
  context: Context,
  input: { cardId: string; change: TenantFieldsChange },
): Promise<Card> {
  const { principal } = context
  return write(
    context,
    async (sql) => {
      const card = await lockCardOf(sql, principal, input.cardId)
      await requireUnerasedPerson(sql, principal, card.id)
      const own = changedTenantFields(card, input.change)
      await requireFreeExternalId(sql, principal, { table: 'cards', ...own, id: card.id })
      return cardView(await saveTenantFields(sql, principal, { ...own, cardId: card.id }))
    },
    { safeToRepeat: true },
  )
}
