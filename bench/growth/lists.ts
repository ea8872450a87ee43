// Measures the cost of a page of card transactions by their number, at the beginning of the list
// and deep in it.
import { encodeCursor } from '../../api/database/cursor.ts'
import { openApiTestbed } from '../api-stand.ts'
import { startGenerator } from '../generator.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { askPages, type PageRead, type SizedTenant, widenLimits } from './pages.ts'
import { seedTransactions } from './transaction-rows.ts'

const SIZES = { full: [1000, 10_000, 100_000, 1_000_000], quick: [1000, 100_000] } as const
const PATH = '/v1/card_transactions?limit=25'

export async function measureLists(options: BenchOptions): Promise<Findings> {
  const stand = await openApiTestbed()
  const generator = startGenerator()
  try {
    const tenants: SizedTenant[] = []
    for (const rows of options.quick ? SIZES.quick : SIZES.full) {
      options.log('Writing ' + rows.toLocaleString('en') + ' card transactions.')
      tenants.push(await seedTransactions(stand.sql, rows))
    }
    await widenLimits(
      stand.sql,
      tenants.map(({ tenantId }) => tenantId),
    )
    await stand.sql`vacuum analyze card_transactions, card_transaction_messages`.simple()
    const server = await stand.startApi()
    const pages = { what: 'card transactions', tenants, reads: READS, server, generator }
    return await askPages(pages, options)
  } finally {
    await generator.stop()
    await stand.close()
  }
}

const READS: readonly PageRead<SizedTenant>[] = [
  { name: 'first page', path: () => PATH },
  {
    name: 'deep page',
    // With nine tenths of the list behind it.
    path: ({ rows }) =>
      PATH + '&starting_after=' + encodeCursor('card_transactions', Math.ceil(rows / 10)),
  },
]
