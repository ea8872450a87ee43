// Creates a pass template. Spec 6.2, pass_template.created.
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { PassContentInput } from '../../../shared/schemas/pass-template-input.ts'
import type { Context } from '../../context.ts'
import { requireFreeExternalId, type TenantFields } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { type ContentBase, firstContent } from './content.ts'
import { requireImages } from './images.ts'
import { recordTemplateEvent } from './states.ts'
import { insertTemplate } from './store.ts'

export interface TemplateInput extends TenantFields {
  name: string
  base: ContentBase
  content: PassContentInput
}

export async function createTemplate(
  context: Context,
  { name, base, content: input, externalId, metadata }: TemplateInput,
): Promise<PassTemplate> {
  const { principal, now } = context
  const id = context.newId('ptpl')
  const content = firstContent(base, input)
  return write(context, async (sql) => {
    await requireImages(sql, principal, content.images)
    await requireFreeExternalId(sql, principal, { table: 'pass_templates', externalId, id })
    await insertTemplate(sql, principal, { id, name, content, now, externalId, metadata })
    return recordTemplateEvent(sql, context, { id, type: 'pass_template.created' })
  })
}
