// The endpoints of notices.
import { BillingNotice } from '../../../shared/schemas/billing-notice.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { findNotice, listNotices } from './store.ts'
import { noticeView } from './view.ts'

const PATH = '/v1/billing/notices'

async function readNotice({ sql, principal }: Context, id: string): Promise<BillingNotice> {
  const row = await findNotice(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return noticeView(row)
}

export const noticeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists messages about your billing, newest first.',
    scope: 'admin',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(BillingNotice),
    run: async ({ sql, principal }, { query }) =>
      mapPage(await listNotices(sql, principal, query), noticeView),
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows a message about your billing.',
    scope: 'admin',
    params: IdParams,
    answer: BillingNotice,
    run: (context, { params }) => readNotice(context, params.id),
  }),
]
