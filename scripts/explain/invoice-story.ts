// An invoice with the days behind each line of usage, read from the database beside the service.
import { openPool } from '../../api/database/pool.ts'
import type { Result } from '../../shared/result.ts'
import type { StorySources } from './story.ts'
import type { Style } from './style.ts'
import { money, printable } from './text.ts'

interface Line {
  kind: string
  plan: string | null
  meter: string | null
  segmentId: number | null
  quantity: number | null
  fromAt: number
  untilAt: number
  amountCents: number
}

interface Day {
  segmentId: number
  meter: string
  day: number
  quantity: number
  late: number
}

interface Correction {
  segmentId: number
  meter: string
  quantity: number
  reason: string
  createdAt: number
}

export interface InvoiceStory {
  invoice: {
    id: string
    kind: string
    ordinal: number
    status: string
    currency: string
    totalCents: number
    subscriptionId: string
  }
  lines: readonly Line[]
  days: readonly Day[]
  corrections: readonly Correction[]
}

/** The invoice's data, or a sentence that gives the reason for its absence. */
export async function readInvoiceStory(
  { databaseUrl }: Pick<StorySources, 'databaseUrl'>,
  id: string,
): Promise<Result<InvoiceStory, string>> {
  if (databaseUrl === null) return { ok: false, error: 'No database is known: set DATABASE_URL.' }
  const sql = openPool(databaseUrl, { max: 1, applicationName: 'svc-explain' })
  try {
    const [invoice] = await sql<InvoiceStory['invoice'][]>`
      select id, kind, ordinal, status, currency, total_cents as "totalCents",
        subscription_id as "subscriptionId"
      from billing_invoices where id = ${id}`
    if (invoice === undefined) return { ok: false, error: 'No ' + printable(id) + ' here.' }
    const lines = await sql<Line[]>`
      select kind, plan, meter, segment_id as "segmentId", quantity, from_at as "fromAt",
        until_at as "untilAt", amount_cents as "amountCents"
      from billing_invoice_lines where invoice_id = ${id} order by place`
    const segments = lines.flatMap(({ segmentId }) => segmentId ?? [])
    const days = await sql<Day[]>`
      select segment_id as "segmentId", meter, day, quantity, late from billing_usage
      where segment_id = any (${segments}::bigint[]) order by day`
    const corrections = await sql<Correction[]>`
      select segment_id as "segmentId", meter, quantity, reason, created_at as "createdAt"
      from billing_adjustments where segment_id = any (${segments}::bigint[]) order by created_at`
    return { ok: true, value: { invoice, lines, days, corrections } }
  } catch {
    return { ok: false, error: 'The database does not answer.' }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The invoice line by line; below a line of usage its days and corrections as they are now. */
export function invoiceTimeline(story: InvoiceStory, style: Style): string {
  const { invoice } = story
  const { currency } = invoice
  const cents = (amount: number): string => money({ amount, currency, exponent: 2 })
  const rows = [
    style.strong(invoice.id) + '  ' + invoice.status + '  ' + cents(invoice.totalCents),
    invoice.kind + ' ' + invoice.ordinal + ' of ' + invoice.subscriptionId,
  ]
  for (const line of story.lines) {
    const { kind, plan, meter, quantity, fromAt, untilAt } = line
    const about = [kind, plan, meter, quantity].filter((part) => part !== null).join(' ')
    const stretch = moment(fromAt) + ' to ' + moment(untilAt)
    rows.push('', cents(line.amountCents).padStart(16) + '  ' + about + '  ' + style.faint(stretch))
    rows.push(...behind(story, line))
  }
  return rows.join('\n') + '\n'
}

function behind({ days, corrections }: InvoiceStory, line: Line): string[] {
  if (line.meter === null) return []
  const isOf = (row: { segmentId: number; meter: string }): boolean =>
    row.segmentId === line.segmentId && row.meter === line.meter
  const counted = days.filter(isOf).map(({ day, quantity, late }) => {
    const afterwards = late === 0 ? '' : ', ' + late + ' of them late'
    return '  '.repeat(9) + moment(day).slice(0, 10) + '  ' + quantity + afterwards
  })
  const corrected = corrections
    .filter(isOf)
    .map(
      ({ createdAt, quantity, reason }) =>
        '  '.repeat(9) +
        moment(createdAt).slice(0, 10) +
        '  ' +
        quantity +
        '  ' +
        printable(reason),
    )
  return [...counted, ...corrected]
}

function moment(at: number): string {
  return new Date(at).toISOString()
}
