// The endpoints of invoices.
import { Invoice } from '../../../shared/schemas/billing-invoice.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { readInvoice, readInvoices } from './read.ts'

const PATH = '/v1/billing/invoices'

export const invoiceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists your invoices, newest first.',
    scope: 'admin',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(Invoice),
    run: (context, { query }) => readInvoices(context, query),
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows an invoice with its lines.',
    scope: 'admin',
    params: IdParams,
    answer: Invoice,
    run: (context, { params }) => readInvoice(context, params.id),
  }),
]
