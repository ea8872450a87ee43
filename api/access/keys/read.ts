// All reads of API keys.
import type { ApiKey } from '../../../shared/schemas/api-key.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findKey, type KeyFilters, listKeys } from './store.ts'
import { keyView } from './view.ts'

export async function readApiKey({ sql, principal }: Context, id: string): Promise<ApiKey> {
  const key = await findKey(sql, principal, id)
  if (key === null) throw new Refusal('resource_missing')
  return keyView(key)
}

export async function readApiKeys(
  { sql, principal }: Context,
  query: PageQuery & KeyFilters,
): Promise<Page<ApiKey>> {
  return mapPage(await listKeys(sql, principal, query), keyView)
}
