// Compares every night the totals that the processor's meters show with those that we told. A
// difference is an exception for a person: our usage is what is billed.
import type { Job, JobRun } from '../../jobs/job.ts'
import { METERS } from '../catalogue/index.ts'
import { daySubject, noteException } from '../exceptions/index.ts'
import { openEnvironments, type Processor, type Processors } from '../processor/index.ts'
import {
  claimCheck,
  findUnchecked,
  firstDay,
  type MirroredCustomer,
  toldDays,
  untoldDays,
} from './store.ts'
import { meterName } from './tell.ts'

const EVERY_MS = 60_000
const LEASE_MS = 300_000
const BATCH = 20
const NIGHT_MS = 86_400_000
const DAY_MS = 86_400_000
/** Chosen: the processor adds up what it was told with a delay. */
const SETTLING_MS = 3_600_000

export function checkMirror(processors: Processors): Job {
  return {
    ...{ name: 'billing_mirror_check', every: EVERY_MS, lease: LEASE_MS, batch: BATCH },
    async run(run) {
      const { sql, now, batch: most, signal } = run
      const since = now - NIGHT_MS
      const wanted = { most, environments: openEnvironments(processors), since }
      let checked = 0
      for (const customer of await findUnchecked(sql, wanted)) {
        const processor = processors[customer.environment]
        if (signal.aborted || processor === null) continue
        if (!(await claimCheck(sql, customer.customerId, { now, since }))) continue
        await checkCustomer(run, processor, customer)
        checked += 1
      }
      return checked
    },
  }
}

/** A meter without told usage is compared too: the processor may show some. */
async function checkCustomer(
  { sql, now, log }: JobRun,
  processor: Processor,
  customer: MirroredCustomer,
): Promise<void> {
  const { customerId, processorId, tenantId, environment } = customer
  const from = firstDay(now)
  const told = await toldDays(sql, customer.customerId, from)
  const untold = await untoldDays(sql, customer, from)
  const untilS = (Math.floor(now / DAY_MS) * DAY_MS + DAY_MS) / 1000
  for (const meter of METERS) {
    const fromS = from / 1000
    const asked = { eventName: meterName(meter), customer: processorId, fromS, untilS }
    const shown = await processor.dayTotals(asked)
    if (!shown.ok) {
      const named = { environment, customer_id: customerId, kind: shown.error.kind }
      log.warn(named, 'meters of the payment processor cannot be compared')
      return
    }
    const ours = new Map(
      told.filter((row) => row.meter === meter).map((row) => [row.day / 1000, row] as const),
    )
    for (const dayS of new Set([...ours.keys(), ...shown.value.keys()])) {
      const { total = 0, sentAt = 0 } = ours.get(dayS) ?? {}
      const theirs = shown.value.get(dayS) ?? 0
      if (theirs === total || sentAt > now - SETTLING_MS) continue
      const counted = untold.find((row) => row.meter === meter && row.day === dayS * 1000)
      // It arrived, and its answer did not: it is told again.
      if (theirs === counted?.total) continue
      const subject = daySubject(processorId, { meter, day: dayS * 1000 })
      const named = { tenantId, environment, kind: 'mirror_differs', subject } as const
      await noteException(sql, { ...named, detail: { told: total, shown: theirs }, now })
    }
  }
}
