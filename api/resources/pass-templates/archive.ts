// Archives a pass template: no passes are issued from it any more. Spec 2.4 and 3, pass_template.archived.
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { recordTemplateEvent } from './event.ts'
import { TEMPLATE_MOVES } from './states.ts'
import { lockTemplate, saveTemplate } from './store.ts'
import { templateView } from './view.ts'

/** Chosen: passes that were issued go on, and so does a change on its way to them. Archiving it again changes nothing. */
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
