// Tells the processor's meters our counted usage: the total of each changed day, hourly, one call
// after the other. The newest total of a day replaces the former, hence a total may be told again;
// a difference could not, because the processor forgets its identifiers after a day.
import { createHash } from 'node:crypto'
import type { Job, JobRun } from '../../jobs/job.ts'
import { daySubject, noteException } from '../exceptions/index.ts'
import {
  backoffMs,
  openEnvironments,
  type Processor,
  type ProcessorFailure,
  type Processors,
} from '../processor/index.ts'
import {
  claimTelling,
  type DayUsage,
  endTelling,
  findUntold,
  firstDay,
  putOffTelling,
  saveTold,
  type Telling,
  untoldDays,
} from './store.ts'

const EVERY_MS = 10_000
const LEASE_MS = 300_000
const BATCH = 20
/** Chosen: a customer's usage is told once an hour. */
const TELL_MS = 3_600_000
const DAY_MS = 86_400_000

export function mirrorUsage(processors: Processors): Job {
  return {
    ...{ name: 'billing_mirror', every: EVERY_MS, lease: LEASE_MS, batch: BATCH },
    async run(run) {
      const { sql, now, batch: most, signal } = run
      const environments = openEnvironments(processors)
      let told = 0
      for (const customer of await findUntold(sql, { now, most, environments })) {
        const processor = processors[customer.environment]
        if (signal.aborted || processor === null) continue
        const lease = { now, until: now + LEASE_MS }
        if (await claimTelling(sql, customer.customerId, lease))
          told += await tellCustomer(run, processor, customer)
      }
      return told
    },
  }
}

/** Returns the number of totals that were told. */
async function tellCustomer(
  { sql, now, log, signal }: JobRun,
  processor: Processor,
  customer: Telling,
): Promise<number> {
  const { customerId, environment, seq, failures } = customer
  let told = 0
  for (const usage of await untoldDays(sql, customer, firstDay(now))) {
    if (signal.aborted) return told
    const failure = await tellDay(processor, customer, usage)
    if (failure?.kind === 'refused') {
      await noteRefused({ sql, now }, customer, usage)
      continue
    }
    if (failure !== null) {
      const named = { environment, customer_id: customerId, kind: failure.kind }
      log.warn(named, 'usage cannot be told to the payment processor yet')
      await putOffTelling(sql, customerId, now + backoffMs(failure, failures))
      return told
    }
    await saveTold(sql, customerId, { ...usage, now })
    told += 1
  }
  await endTelling(sql, customerId, { seq, dueAt: now + TELL_MS })
  return told
}

/** Null where the processor has the total. */
async function tellDay(
  processor: Processor,
  { processorId: customer }: Telling,
  { meter, day, total }: DayUsage,
): Promise<ProcessorFailure | null> {
  const eventName = meterName(meter)
  const named = [customer, meter, day, total].join(' ')
  const identifier = 'use-' + createHash('sha256').update(named).digest('hex')
  const dayS = day / 1000
  const sent = await processor.sendTotal({ eventName, customer, day: dayS, total, identifier })
  if (sent.ok || sent.error.kind !== 'refused') return sent.ok ? null : sent.error
  // It refuses an identifier of the last day: the total may have arrived without an answer.
  const untilS = dayS + DAY_MS / 1000
  const looked = await processor.dayTotals({ eventName, customer, fromS: dayS, untilS })
  if (!looked.ok) return looked.error
  return looked.value.get(dayS) === total ? null : sent.error
}

async function noteRefused(
  { sql, now }: Pick<JobRun, 'sql' | 'now'>,
  { tenantId, environment, processorId }: Telling,
  { meter, day, total }: DayUsage,
): Promise<void> {
  const subject = daySubject(processorId, { meter, day })
  const named = { tenantId, environment, kind: 'mirror_refused', subject } as const
  await noteException(sql, { ...named, detail: { total }, now })
}

/** The name of a meter at the processor, which shares its account with other products. */
export function meterName(meter: DayUsage['meter']): string {
  return 'svc_' + meter
}
