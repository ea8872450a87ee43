// All reads of pass templates. A publishable key sees fewer fields. Spec 5.1.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PassTemplate, PublishedPassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Context, Principal } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findTemplate, listTemplates, type TemplateFilters } from './store.ts'
import { publishedTemplateView, type TemplateRow, templateView } from './view.ts'

export async function readTemplate(
  { sql, principal }: Context,
  id: string,
): Promise<PassTemplate | PublishedPassTemplate> {
  const template = await findTemplate(sql, principal, id)
  if (template === null) throw new Refusal('resource_missing')
  return viewFor(principal)(template)
}

export async function readTemplates(
  { sql, principal }: Context,
  query: PageQuery & TemplateFilters,
): Promise<Page<PassTemplate | PublishedPassTemplate>> {
  return mapPage(await listTemplates(sql, principal, query), viewFor(principal))
}

function viewFor({
  publishable,
}: Principal): (row: TemplateRow) => PassTemplate | PublishedPassTemplate {
  return publishable ? publishedTemplateView : templateView
}
