// Compares the invoices of a tenant with the money that moved at the payment processor, month by
// month. The processor is asked itself, with its own key.
import type { Document } from '../api.ts'
import { valueAt } from '../api.ts'
import type { Surroundings } from '../sandbox.ts'
import type { BilledTenant } from './billed-tenant.ts'

const CENTS = 100
const COLUMN = 12

export interface MonthSums {
  /** The boundary at which the month began. */
  from: string
  oursCents: number
  /** Money that the processor charged for these invoices. */
  theirsCents: number
}

/** Months from the anchor on, and the charges that belong to none of our invoices. */
export async function compareMonths(
  tenant: BilledTenant,
  months: number,
): Promise<{ months: MonthSums[]; unknownCents: number }> {
  const invoices = await tenant.invoices()
  const charged = await chargedByInvoice(tenant)
  const rows = Array.from({ length: months }, (_, k) => {
    const ofMonth = invoices.filter((invoice) => monthOf(tenant, invoice) === k)
    const paid = ofMonth.filter(({ status }) => status === 'paid')
    return {
      from: new Date(tenant.boundary(k)).toISOString().slice(0, 10),
      oursCents: sum(paid.map(({ total_cents: cents }) => Number(cents))),
      theirsCents: sum(ofMonth.map(({ id }) => charged.get(String(id)) ?? 0)),
    }
  })
  const ours = new Set(invoices.map(({ id }) => String(id)))
  const unknown = [...charged].filter(([id]) => !ours.has(id))
  return { months: rows, unknownCents: sum(unknown.map(([, cents]) => cents)) }
}

/** A change belongs to the month in which it was made; a boundary begins its month. */
function monthOf(tenant: BilledTenant, invoice: Document): number {
  if (invoice['kind'] === 'period') return Number(invoice['ordinal'])
  const madeMs = Number(invoice['created']) * 1000
  let month = 0
  while (tenant.boundary(month + 1) <= madeMs) month += 1
  return month
}

async function chargedByInvoice({ stage, own }: BilledTenant): Promise<Map<string, number>> {
  const [customers, invoices, charges] = await Promise.all([
    listed(stage.surroundings, '/v1/customers'),
    listed(stage.surroundings, '/v1/invoices'),
    asked(stage.surroundings, '/peer/charges'),
  ])
  const customer = customers.find(({ name }) => name === own.id)
  const nameOf = new Map(
    invoices
      .filter((invoice) => invoice['customer'] === customer?.['id'])
      .map((invoice) => [invoice['id'], String(valueAt(invoice, 'metadata', 'svc_invoice'))]),
  )
  const byInvoice = new Map<string, number>()
  for (const charge of charges['data'] as Document[]) {
    if (charge['customer'] !== customer?.['id']) continue
    const name = nameOf.get(charge['invoice']) ?? 'none'
    byInvoice.set(name, (byInvoice.get(name) ?? 0) + Number(charge['amount']))
  }
  return byInvoice
}

async function listed(surroundings: Surroundings, path: string): Promise<Document[]> {
  const rows: Document[] = []
  for (let after = ''; ; ) {
    const page = await asked(surroundings, path + '?limit=100' + after)
    rows.push(...(page['data'] as Document[]))
    if (page['has_more'] !== true) return rows
    after = '&starting_after=' + String(rows.at(-1)?.['id'])
  }
}

async function asked({ secrets }: Surroundings, path: string): Promise<Document> {
  const { stripe_peer: peer } = secrets
  if (peer === undefined) throw new Error('the service has no payment processor of its own')
  const answer = await fetch('http://127.0.0.1:' + peer.port + path, {
    headers: { authorization: 'Bearer ' + peer.key },
  })
  if (answer.status !== 200) throw new Error('the processor answered ' + answer.status)
  return (await answer.json()) as Document
}

function sum(cents: readonly number[]): number {
  return cents.reduce((total, each) => total + each, 0)
}

/** One line per month: ours, the processor's, the difference. */
export function monthLines(months: readonly MonthSums[]): string[] {
  const cell = (text: string): string => text.padStart(COLUMN)
  const head = ['month from', ...['ours', 'processor', 'difference'].map(cell)].join('')
  const rows = months.map(({ from, oursCents, theirsCents }) =>
    [
      from,
      ...[oursCents, theirsCents, oursCents - theirsCents].map((at) => cell(dollars(at))),
    ].join(''),
  )
  return [head, ...rows]
}

function dollars(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / CENTS)
  const rest = String(Math.abs(cents) % CENTS).padStart(2, '0')
  return (cents < 0 ? '-' : '') + whole + '.' + rest
}
