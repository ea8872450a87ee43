// Uncounted events of a month become closed invoices: by one tenant, and spread over many.
import { meterJob } from '../../api/billing/metering/index.ts'
import { rounded } from '../figures.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { type BillingTestbed, closeAll, outcomeOf, runAll, subscribeTenants } from './testbed.ts'

const EVENTS = { full: 1_000_000, quick: 100_000 }
const TENANTS = { full: 1000, quick: 100 }
/** Seconds for a million events. */
const SECONDS_MAX = { one: 10, many: 60 }

/** A quick run has a tenth of the events and of the tenants, and a tenth of the time. */
export async function measureCounting(
  at: BillingTestbed,
  options: BenchOptions,
): Promise<Findings> {
  const size = options.quick ? 'quick' : 'full'
  const events = EVENTS[size]
  const share = events / EVENTS.full
  const flaws: string[] = []
  const measured = async (tenants: number): Promise<number> => {
    options.log('Counting ' + events + ' events of ' + tenants + ' tenants, and closing.')
    const ids = await subscribeTenants(at, { tenants, eventsEach: events / tenants })
    const startedAt = performance.now()
    await runAll(at, meterJob)
    await closeAll(at)
    const seconds = (performance.now() - startedAt) / 1000
    const { closed, counted } = await outcomeOf(at, ids)
    if (closed !== tenants) flaws.push(closed + ' of ' + tenants + ' months were closed')
    if (counted !== events) flaws.push(counted + ' of ' + events + ' events were counted')
    return seconds
  }
  const one = await measured(1)
  const many = await measured(TENANTS[size])
  const figures = { events, one_tenant_s: rounded(one), many_tenants_s: rounded(many) }
  return {
    lines: [
      'uncounted events to closed invoices, s: one tenant ' +
        rounded(one) +
        ', ' +
        TENANTS[size] +
        ' tenants ' +
        rounded(many),
    ],
    figures,
    targets: [
      target('one tenant', one, SECONDS_MAX.one * share),
      target(TENANTS[size] + ' tenants', many, SECONDS_MAX.many * share),
    ],
    flaws,
  }
}

function target(name: string, seconds: number, most: number): Findings['targets'][number] {
  const sentence = 'seconds from uncounted events to closed invoices, ' + name + ' : ' + most
  return { sentence, ratio: rounded(seconds / most), atMost: 1 }
}
