// Collects open invoices at the processor: made there, filled, opened and paid, a call at a time.
// Before each call its trace is committed; after an outcome that nobody knows the processor's
// invoice is looked at, and never a key believed that may be forgotten.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Result } from '../../../shared/result.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { doneOf, inLanes } from '../../jobs/lanes.ts'
import { type EnsuredCustomer, ensureCustomer, takeCustomer } from '../customers/index.ts'
import { findInvoice, type InvoiceRow, listLines } from '../invoices/index.ts'
import {
  backoffMs,
  type CollectedInvoice,
  openEnvironments,
  type Processor,
  type ProcessorFailure,
  type Processors,
  type SentLine,
} from '../processor/index.ts'
import { readLatePayment } from './late-payment.ts'
import {
  saveDelay,
  saveException,
  saveFailure,
  savePaid,
  savePlace,
  saveWaiting,
} from './settle.ts'
import { nextStep, type Step } from './steps.ts'
import {
  type Asked,
  type CollectionRow,
  type DueInvoice,
  findCollection,
  findDueInvoices,
  findLookedInvoices,
  noteAsked,
} from './store.ts'

const EVERY_MS = 1000
const LOOK_EVERY_MS = 10_000
/** Longer than the calls about one invoice take at most. */
const LEASE_MS = 300_000
const BATCH = 20
/** Chosen: a run takes no further customer after this, 100 s. */
const RUN_NS_MAX = 100e9
const DAY_MS = 86_400_000
/** From nothing to paid: make, fill, open, pay. */
const STEPS_MAX = 6
/** Chosen: after an unknown outcome. */
const UNKNOWN_MS = 60_000

type Run = Pick<JobRun, 'sql' | 'log' | 'now'>

interface Collecting extends Run {
  processor: Processor
  due: DueInvoice
  customer: EnsuredCustomer
  /** Attempts may be made; otherwise the processor's invoice is only looked at. */
  mayPay: boolean
}

export function collectInvoices(processors: Processors): Job {
  return {
    ...{ name: 'billing_collect', every: EVERY_MS, lease: LEASE_MS, batch: BATCH },
    run: (run) => collectAll(run, processors, true),
  }
}

/** Looks at open invoices that wait for a bank or a person. */
export function lookAtInvoices(processors: Processors): Job {
  return {
    ...{ name: 'billing_look', every: LOOK_EVERY_MS, lease: LEASE_MS, batch: BATCH },
    run: (run) => collectAll(run, processors, false),
  }
}

async function collectAll(run: JobRun, processors: Processors, mayPay: boolean): Promise<number> {
  const { sql, now, batch: most } = run
  const wanted = { now, most, environments: openEnvironments(processors) }
  const due = await (mayPay ? findDueInvoices : findLookedInvoices)(sql, wanted)
  const beganNs = run.clock.monotonicNs()
  const work = async (invoice: DueInvoice): Promise<boolean> => {
    const processor = processors[invoice.environment]
    // Its lease counts from the begin of the run, and has to outlast its calls.
    const isLate = run.clock.monotonicNs() - beganNs > RUN_NS_MAX
    return processor !== null && !isLate && withCustomer(run, { processor, due: invoice, mayPay })
  }
  return doneOf(
    await inLanes(due, run, { count: 1, failed: 'an invoice cannot be collected', work }),
  )
}

/**
 * Returns false while another process calls the processor about the customer, or where nothing is
 * known of an invoice that was given up.
 */
export async function withCustomer(
  run: Run,
  given: Pick<Collecting, 'processor' | 'due' | 'mayPay'>,
): Promise<boolean> {
  const { sql, now } = run
  const owner = given.due
  const ensured = await ensureCustomer(sql, given.processor, {
    ...{ owner, now, newId: (prefix: string) => newId(prefix, now) },
  })
  if (!ensured.ok) {
    await putOff({ ...run, ...given }, ensured.error)
    return false
  }
  const lease = { by: newId('lease', now), now, until: now + LEASE_MS }
  const taken = await takeCustomer(sql, ensured.value, lease)
  if (taken === null) return false
  try {
    const invoice = await findInvoice(sql, owner, owner.id)
    if (invoice?.status === 'uncollectible')
      return await readLatePayment(sql, given.processor, { invoice, now })
    if (invoice?.status === 'open')
      await collectOne({ ...run, ...given, customer: ensured.value }, invoice)
    return true
  } finally {
    await taken.release()
  }
}

async function collectOne(world: Collecting, invoice: InvoiceRow): Promise<void> {
  const { sql, due, now } = world
  const collection = await findCollection(sql, due.id)
  const looked = await look(world, invoice, collection)
  if (!looked.ok) return putOff(world, looked.error)
  let seen = looked.value
  if (seen !== null && isFailed(seen, collection)) {
    const declineCode = seen.payment?.declineCode ?? null
    const failure = { declineCode, needsAction: false, attempts: seen.attempts }
    return saveFailure(sql, due, { failure, now })
  }
  const netDays = netDaysOf(invoice)
  const mayPay = world.mayPay && netDays === null && !collection.isProcessing
  const wanted = { totalCents: invoice.totalCents, currency: invoice.currency, mayPay }
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const step = nextStep(seen, wanted)
    if (!isCall(step)) return finish(world, { step, seen })
    const call = { step, seen, invoice, netDays }
    const given = await made(world, call)
    if (given === null) return
    seen = given
  }
}

/** Days from the opening to the due date; null: a card is charged. Later terms change neither. */
function netDaysOf({ dueAt, finalizedAt }: InvoiceRow): number | null {
  return dueAt === null || finalizedAt === null ? null : Math.round((dueAt - finalizedAt) / DAY_MS)
}

function isCall(step: Step): step is Asked {
  return ['create', 'lines', 'finalize', 'pay', 'void'].includes(step)
}

/** A known invoice is read; one that was asked for without an answer is searched in the list. */
async function look(
  { processor, customer }: Collecting,
  { id, processorId }: InvoiceRow,
  { asked }: CollectionRow,
): Promise<Result<CollectedInvoice | null, ProcessorFailure>> {
  if (processorId !== null) return processor.readInvoice(processorId)
  if (asked === null) return { ok: true, value: null }
  return processor.findInvoice(customer.processorId, id)
}

/** An attempt was made whose answer never came, or that waited for a bank, and it failed. */
function isFailed(seen: CollectedInvoice, { attempts, isProcessing }: CollectionRow): boolean {
  if (seen.status !== 'open') return false
  return isProcessing ? seen.payment?.isProcessing === false : seen.attempts > attempts
}

interface NextCall {
  step: Asked
  seen: CollectedInvoice | null
  invoice: InvoiceRow
  netDays: number | null
}

/** Makes one call; null where its outcome ended the work. */
async function made(world: Collecting, call: NextCall): Promise<CollectedInvoice | null> {
  const { sql, due, now } = world
  const { step } = call
  const collection = await noteAsked(sql, due, { asked: step, now })
  if (collection === null) return null
  const given = await send(world, call)
  if (given.ok) return answered(world, step, given.value)
  const failure = given.error
  if (failure.kind === 'declined') {
    const attempts = collection.attempts + 1
    await saveFailure(sql, due, { failure: { ...failure, attempts }, now })
    return null
  }
  if (failure.kind === 'refused') return refused(world, call, collection)
  await putOff(world, failure)
  return null
}

async function answered(
  { sql, due, now }: Collecting,
  step: Asked,
  seen: CollectedInvoice,
): Promise<CollectedInvoice | null> {
  await savePlace(sql, due, { seen, now })
  if (step === 'void') {
    const detail = { total: seen.total, amount_due: seen.amountDue, currency: seen.currency }
    await saveException(sql, due, { kind: 'wrong_total', detail, now })
    return null
  }
  if (step !== 'pay' || seen.status !== 'open') return seen
  await saveWaiting(sql, due, { isProcessing: true, endsAttempts: true, now })
  return null
}

/** The processor refuses: the state of its invoice says how to go on. */
async function refused(
  world: Collecting,
  { step, invoice }: NextCall,
  collection: CollectionRow,
): Promise<CollectedInvoice | null> {
  const { sql, due, now } = world
  const current = (await findInvoice(sql, due, due.id)) ?? invoice
  const looked = await look(world, current, collection)
  if (!looked.ok && looked.error.kind !== 'refused') {
    await putOff(world, looked.error)
    return null
  }
  const seen = looked.ok ? looked.value : null
  if (step === 'pay' && seen?.status === 'open') {
    // No card is there that could be charged.
    const failure = {
      declineCode: 'no_payment_method',
      needsAction: false,
      attempts: seen.attempts,
    }
    await saveFailure(sql, due, { failure, now })
    return null
  }
  if (seen !== null && seen.status !== 'draft') return seen
  await saveException(sql, due, { kind: 'not_collectable', detail: { step }, now })
  return null
}

/** The key of a payment grows with each attempt whose outcome is known, and with no other. */
async function send(
  { processor, sql, customer }: Collecting,
  { step, seen, invoice, netDays }: NextCall,
): Promise<Result<CollectedInvoice, ProcessorFailure>> {
  const { id: ours, currency } = invoice
  const id = seen?.id ?? ''
  // The processor knows the keys of a former customer's invoice for a day.
  const key = customer.relinks === 0 ? ours : ours + '-r' + customer.relinks
  switch (step) {
    case 'create': {
      const named = { ours, customer: customer.processorId, currency, netDays }
      return processor.createInvoice(named, key + '-create')
    }
    case 'lines': {
      const lines = (await listLines(sql, [ours])).map(sentLine)
      return processor.addLines(id, lines, key + '-lines')
    }
    case 'finalize':
      return processor.finalizeInvoice(id, key + '-finalize')
    case 'pay':
      return processor.payInvoice(id, key + '-pay-' + (invoice.attempts + 1))
    case 'void':
      return processor.voidInvoice(id, key + '-void')
  }
}

const NAMES = {
  ...{ base: 'Base price', usage: 'Usage', late: 'Late usage', correction: 'Correction' },
  credit: 'Credit',
} as const

function sentLine(line: Awaited<ReturnType<typeof listLines>>[number]): SentLine {
  const { kind, plan, meter, fromAt, untilAt, amountCents: amount } = line
  const description = [NAMES[kind], plan ?? meter].filter((part) => part !== null).join(': ')
  return { amount, description, from: seconds(fromAt), until: seconds(untilAt) }
}

function seconds(moment: EpochMs): number {
  return Math.floor(moment / 1000)
}

async function finish(
  world: Collecting,
  { step, seen }: { step: Step; seen: CollectedInvoice | null },
): Promise<void> {
  const { sql, due, now } = world
  if (seen === null) return
  if (step === 'paid') return savePaid(sql, due, { seen, now })
  if (step === 'wait') {
    await savePlace(sql, due, { seen, now })
    const { isProcessing } = await findCollection(sql, due.id)
    return saveWaiting(sql, due, { isProcessing, endsAttempts: world.mayPay, now })
  }
  const isEnded = seen.status === 'void' || seen.status === 'uncollectible'
  const { status, total, amountDue: amount_due, currency } = seen
  const kind = isEnded ? 'ended_elsewhere' : 'wrong_total'
  await saveException(sql, due, { kind, detail: { status, total, amount_due, currency }, now })
}

async function putOff(
  { sql, log, due, now }: Run & { due: DueInvoice },
  failure: ProcessorFailure,
): Promise<void> {
  const { kind } = failure
  const named = { invoice_id: due.id, environment: due.environment, kind }
  if (kind === 'wrong_key') {
    log.error(named, 'a key of the payment processor was used twice')
    return saveException(sql, due, { kind: 'wrong_key', detail: {}, now })
  }
  if (kind === 'closed') log.error(named, 'the payment processor does not accept our key')
  else log.warn(named, 'an invoice cannot be collected yet')
  const delayMs = kind === 'unknown' ? UNKNOWN_MS : backoffMs(failure, 0)
  await saveDelay(sql, due, { delayMs, now })
}
