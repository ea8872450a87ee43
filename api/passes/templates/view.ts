// Only this module makes a pass template's row public.
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type {
  PassContent,
  PassTemplate,
  PublishedPassTemplate,
} from '../../../shared/schemas/pass-template.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'

export interface TemplateRow extends TenantFields {
  id: string
  environment: Environment
  status: PassTemplate['status']
  name: string
  version: number
  createdAt: number
  updatedAt: number
  /** Content of the latest version. */
  content: PassContent
  /** Null if the latest version is the first. */
  fanoutState: 'running' | 'completed' | 'superseded' | null
  fanoutTotal: number | null
  fanoutDone: number | null
}

export function templateView(row: TemplateRow): PassTemplate {
  const { content } = row
  return {
    id: row.id,
    object: 'pass_template',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    status: row.status,
    name: row.name,
    version: row.version,
    updated: unixSeconds(row.updatedAt),
    ...content,
    relevant_at: shownMoment(content.relevant_at),
    expires_at: shownMoment(content.expires_at),
    fanout: fanoutOf(row),
    external_id: row.externalId,
    metadata: row.metadata,
  }
}

function fanoutOf({ version, ...row }: TemplateRow): PassTemplate['fanout'] {
  if (row.fanoutState === null) return null
  const { fanoutTotal, fanoutDone, fanoutState } = row
  return { version, total: fanoutTotal ?? 0, done: fanoutDone ?? 0, state: fanoutState }
}

function shownMoment(moment: number | null): string | null {
  return moment === null ? null : isoInstant(moment)
}

/** For publishable keys: the fields that the front of every pass shows. */
export function publishedTemplateView(row: TemplateRow): PublishedPassTemplate {
  const { id, object, livemode, status, style, organization_name, description, logo_text, colors } =
    templateView(row)
  return { id, object, livemode, status, style, organization_name, description, logo_text, colors }
}
