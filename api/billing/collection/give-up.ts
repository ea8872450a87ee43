// Marks invoices that nobody will pay as uncollectible at the processor too: its hosted page and
// its reports then say what ours say.
import { newId } from '../../../shared/id.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import { findCustomer, takeCustomer } from '../customers/index.ts'
import { noteException } from '../exceptions/index.ts'
import {
  backoffMs,
  openEnvironments,
  type Processor,
  type ProcessorFailure,
  type Processors,
} from '../processor/index.ts'
import { settleLate } from './late-payment.ts'
import { findGivenUp, type GivenUp, putOffGivenUp, saveGivenUp } from './store.ts'

const EVERY_MS = 10_000
const LEASE_MS = 60_000
const BATCH = 20
/** Chosen: an invoice that the processor refuses to mark is looked at again. */
const AGAIN_MS = 86_400_000

export function giveUpAtProcessor(processors: Processors): Job {
  return {
    ...{ name: 'billing_give_up', every: EVERY_MS, lease: LEASE_MS, batch: BATCH },
    async run(run) {
      const wanted = { now: run.now, most: run.batch, environments: openEnvironments(processors) }
      const givenUp = await findGivenUp(run.sql, wanted)
      const work = async (invoice: GivenUp): Promise<boolean> => {
        const processor = processors[invoice.environment]
        return processor !== null && markLeased(run, processor, invoice)
      }
      const failed = 'an invoice cannot be given up'
      return doneOf(await inLanes(givenUp, run, { count: 1, failed, work }))
    },
  }
}

/** Returns false while another process calls the processor about the customer. */
async function markLeased(run: JobRun, processor: Processor, invoice: GivenUp): Promise<boolean> {
  const { sql, now } = run
  const customer = await findCustomer(sql, invoice)
  if (customer === null) {
    await putOffGivenUp(sql, invoice.id, now + AGAIN_MS)
    return false
  }
  const lease = { by: newId('lease', now), now, until: now + LEASE_MS }
  const taken = await takeCustomer(sql, customer, lease)
  if (taken === null) return false
  try {
    await mark(run, processor, invoice)
    return true
  } finally {
    await taken.release()
  }
}

/** A refusal is no outcome: the state of the processor's invoice is. */
async function mark(run: JobRun, processor: Processor, invoice: GivenUp): Promise<void> {
  const { sql, now } = run
  const { id, processorId } = invoice
  const marked = await processor.markUncollectible(processorId, id + '-uncollectible')
  if (marked.ok) return saveGivenUp(sql, id, now)
  if (marked.error.kind !== 'refused') return putOff(run, invoice, marked.error)
  const looked = await processor.readInvoice(processorId)
  if (!looked.ok) return putOff(run, invoice, looked.error)
  const { status, total, currency } = looked.value
  if (status === 'open') return putOffGivenUp(sql, id, now + AGAIN_MS)
  // It was paid there before it was marked.
  if (status === 'paid') await settleLate(sql, invoice, { seen: looked.value, now })
  await saveGivenUp(sql, id, now)
  if (status === 'uncollectible' || status === 'paid') return
  const { tenantId, environment } = invoice
  const named = { tenantId, environment, subject: id, kind: 'status_differs' } as const
  // It was voided there meanwhile: a person has to look.
  await noteException(sql, { ...named, detail: { status, total, currency }, now })
}

async function putOff(
  { sql, log, now }: JobRun,
  { id, environment }: GivenUp,
  failure: ProcessorFailure,
): Promise<void> {
  const named = { invoice_id: id, environment, kind: failure.kind }
  log.warn(named, 'an invoice cannot be marked as uncollectible yet')
  await putOffGivenUp(sql, id, now + backoffMs(failure, 0))
}
