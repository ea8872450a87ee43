// Wallet passes: the effect of a template's change on other work, the cost of a batch, the cost of
// counts and lists among many, and the speed of pushes.
import { isoInstant, systemClock } from '../shared/clock.ts'
import { startGenerator } from './generator.ts'
import { askPages } from './growth/pages.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'
import { measureBatch } from './passes/batch.ts'
import { measureFanout } from './passes/fanout.ts'
import { measurePushes } from './passes/pushes.ts'
import { openPassTestbed, type PassTenant } from './passes/testbed.ts'

const SIZES = { full: [1000, 100_000, 1_000_000], quick: [1000, 100_000] } as const
/** Passes of the tenant whose template changes. */
const CHANGED = 100_000
const LIST = '/v1/passes?limit=25'

export const PASSES: Measured = {
  name: 'passes',
  seconds: { full: 420, quick: 85 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const stand = await openPassTestbed()
  const generator = startGenerator()
  try {
    const tenants: PassTenant[] = []
    for (const rows of options.quick ? SIZES.quick : SIZES.full) {
      options.log('Writing ' + rows.toLocaleString('en') + ' passes.')
      tenants.push(await stand.addTenant(rows))
    }
    await stand.settle()
    const { api: server } = stand
    const pages = { what: 'passes', tenants, reads: READS, server, generator }
    const [few] = tenants
    const many = tenants.find(({ rows }) => rows === CHANGED)
    if (few === undefined || many === undefined) throw new Error('nobody has so many passes')
    const scene = { stand, generator, few, many }
    return await measureParts([
      ['lists', () => askPages(pages, options)],
      ['batch', () => measureBatch(scene, options)],
      ['pushes', () => measurePushes(scene, options)],
      ['fanout', () => measureFanout(scene, options)],
    ])
  } finally {
    await generator.stop()
    await stand.close()
  }
}

/** Filters by the day of creation: a month, and everything before an hour within a month. */
const MONTH = 'created[gte]=' + daysAgo(40) + '&created[lt]=' + daysAgo(10)
const BEFORE = '&created[lt]=' + daysAgo(20) + 'T10:00:00Z'

function daysAgo(days: number): string {
  return isoInstant(systemClock.nowMs() - days * 86_400_000).slice(0, 10)
}

const READS = [
  { name: 'count of installed', path: () => '/v1/passes/count?status=installed' },
  { name: 'count of a month', path: () => '/v1/passes/count?' + MONTH },
  { name: 'page of installed', path: () => LIST + '&status=installed' },
  {
    name: 'page of a template',
    path: ({ templateId }: PassTenant) => LIST + '&template_id=' + templateId,
  },
  { name: 'page before a moment', path: () => LIST + '&status=installed' + BEFORE },
]
