// Archives a pass template: the template issues no more passes. Spec 2.4 and 3,
// pass_template.archived.
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { recordTemplateEvent, TEMPLATE_MOVES } from './states.ts'
import { lockTemplate, saveTemplate } from './store.ts'
import { templateView } from './view.ts'

/**
 * Chosen: issued passes stay valid, and a running fanout continues. Archiving an archived template
 * changes nothing.
 */
export async function archiveTemplate(context: Context, id: string): Promise<PassTemplate> {
  const { principal, now } = context
  const { to, event } = TEMPLATE_MOVES.archive
  return write(
    context,
    async (sql) => {
      const held = await lockTemplate(sql, principal, id)
      if (held === null) throw new Refusal('resource_missing')
      if (held.status === to) return templateView(held)
      await saveTemplate(sql, principal, { ...held, status: to, now })
      return recordTemplateEvent(sql, context, { id, type: event })
    },
    { safeToRepeat: true },
  )
}
