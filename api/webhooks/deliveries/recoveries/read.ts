// All reads of recoveries.
import type { Page } from '../../../../shared/schemas/list.ts'
import type { WebhookRecovery } from '../../../../shared/schemas/webhook-recovery.ts'
import type { Context } from '../../../context.ts'
import { mapPage, type PageQuery } from '../../../database/page.ts'
import { Refusal } from '../../../http/refusal.ts'
import { findEndpoint } from '../../endpoints/index.ts'
import { findRecovery, listRecoveries, type WhichRecovery } from './store.ts'
import { recoveryView } from './view.ts'

export async function readRecovery(
  context: Context,
  which: WhichRecovery,
): Promise<WebhookRecovery> {
  await requireEndpoint(context, which.endpointId)
  const recovery = await findRecovery(context.sql, context.principal, which)
  if (recovery === null) throw new Refusal('resource_missing')
  return recoveryView(recovery)
}

export async function readRecoveries(
  context: Context,
  query: PageQuery & { endpointId: string },
): Promise<Page<WebhookRecovery>> {
  await requireEndpoint(context, query.endpointId)
  return mapPage(await listRecoveries(context.sql, context.principal, query), recoveryView)
}

async function requireEndpoint({ sql, principal }: Context, id: string): Promise<void> {
  if ((await findEndpoint(sql, principal, id)) === null) throw new Refusal('resource_missing')
}
