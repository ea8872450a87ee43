// All reads of disputes and of their evidence.
import type { Dispute, DisputeEvidence } from '../../../shared/schemas/dispute.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { listEvidence } from './evidence-store.ts'
import { type DisputeFilters, findDispute, listDisputes } from './store.ts'
import { disputeView, evidenceView } from './view.ts'

export async function readDispute({ sql, principal }: Context, id: string): Promise<Dispute> {
  const dispute = await findDispute(sql, principal, id)
  if (dispute === null) throw new Refusal('resource_missing')
  return disputeView(dispute)
}

export async function readDisputes(
  { sql, principal }: Context,
  query: PageQuery & DisputeFilters,
): Promise<Page<Dispute>> {
  return mapPage(await listDisputes(sql, principal, query), disputeView)
}

export async function readEvidence(
  { sql, principal }: Context,
  query: PageQuery & { disputeId: string },
): Promise<Page<DisputeEvidence>> {
  if ((await findDispute(sql, principal, query.disputeId)) === null)
    throw new Refusal('resource_missing')
  return mapPage(await listEvidence(sql, principal, query), evidenceView)
}
