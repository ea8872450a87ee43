// Changes a pass template: the new version reaches every issued pass in the background. Spec 2.4.
import { isDeepStrictEqual } from 'node:util'
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { PassContentInput } from '../../../shared/schemas/pass-template-input.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { changedContent } from './content.ts'
import { beginFanout } from './fanout-store.ts'
import { requireImages } from './images.ts'
import { recordTemplateEvent } from './states.ts'
import { lockTemplate, saveTemplate } from './store.ts'
import { templateView } from './view.ts'

export interface TemplateChange {
  name?: string
  content: PassContentInput
  own: TenantFieldsChange
  /** The version that the caller read. */
  ifVersion: number | undefined
}

/**
 * Chosen: an archived template may be changed, because its issued passes stay valid. A change
 * without effect makes no version and no event; the name and the tenant fields are not on
 * passes and cause no fanout.
 */
export async function updateTemplate(
  context: Context,
  id: string,
  change: TemplateChange,
): Promise<PassTemplate> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const externalId = change.own.external_id
    await requireFreeExternalId(sql, principal, { table: 'pass_templates', externalId, id })
    const held = await lockTemplate(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    requireVersion(held.version, change.ifVersion)
    const content = changedContent(held.content, change.content)
    const own = changedTenantFields(held, change.own)
    const name = change.name ?? held.name
    const looksOther = !isDeepStrictEqual(content, held.content)
    const before = { name: held.name, externalId: held.externalId, metadata: held.metadata }
    if (!looksOther && isDeepStrictEqual({ name, ...own }, before)) return templateView(held)

    await requireImages(sql, principal, content.images)
    const version = looksOther ? held.version + 1 : held.version
    await saveTemplate(sql, principal, { ...held, ...own, name, version, content, now })
    const installationNow = now - principal.clockOffsetMs
    if (looksOther) await beginFanout(sql, { templateId: id, version, now: installationNow })
    return recordTemplateEvent(sql, context, { id, type: 'pass_template.updated' })
  })
}

function requireVersion(held: number, wanted: number | undefined): void {
  if (wanted === undefined || wanted === held) return
  throw new Refusal('version_conflict', { extra: { current_version: held } })
}
