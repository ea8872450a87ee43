// All reads of invoices.
import type { Invoice } from '../../../shared/schemas/billing-invoice.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findInvoice, listInvoices, listLines } from './store.ts'
import { invoiceView } from './view.ts'

export async function readInvoice({ sql, principal }: Context, id: string): Promise<Invoice> {
  const row = await findInvoice(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return invoiceView(row, await listLines(sql, [id]))
}

export async function readInvoices(
  { sql, principal }: Context,
  query: PageQuery,
): Promise<Page<Invoice>> {
  const page = await listInvoices(sql, principal, query)
  const lines = await listLines(
    sql,
    page.rows.map(({ id }) => id),
  )
  return mapPage(page, (row) =>
    invoiceView(
      row,
      lines.filter(({ invoiceId }) => invoiceId === row.id),
    ),
  )
}
