// A customer that was deleted at the processor is made anew by an operator: open invoices are
// voided in the old place and sent to the new customer. The tenant adds its payment methods again.
import { unixSeconds } from '../../../shared/clock.ts'
import type { BillingCustomer } from '../../../shared/schemas/billing-customer.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { isAnswered, write } from '../../write/write.ts'
import {
  type CustomerRow,
  type EnsuredCustomer,
  findCustomer,
  isEnsured,
  replaceProcessorId,
  takeCustomer,
} from '../customers/index.ts'
import { forgetTold } from '../mirror/index.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { detachOthers } from '../payment-methods/index.ts'
import type { Processor, ProcessorPort } from '../processor/index.ts'
import { lockOwner } from '../require-billing.ts'
import { clearPlaces, findPlaced, type Placed } from './store.ts'

/** Longer than the calls about the invoices of a tenant take at most. */
const LEASE_MS = 300_000
/** Chosen: a repeat finds the customer that an unanswered call of the last two days made. */
const SINCE_MS = 2 * 86_400_000

/**
 * Refuses with 404 a tenant that the processor never knew, with 409 a customer that is there, or
 * one with a payment on its way; with 503 while the processor does not answer. A repeated call
 * makes no second customer.
 */
export async function relinkCustomer(
  context: OperatorContext,
  owner: Owner,
  { processors }: ProcessorPort,
): Promise<BillingCustomer> {
  const { sql } = context
  const isRepeat = await isAnswered(sql, context)
  const relinking = isRepeat ? null : await begin(context, owner, processors)
  try {
    const made = relinking === null ? null : await makeAnew(context, relinking)
    return await write(context, async (inner) => {
      if (relinking === null || made === null) throw new Refusal('dependency_unavailable')
      const { customer } = relinking
      await lockOwner(inner, owner)
      if (!(await replaceProcessorId(inner, customer, made.processorId)))
        throw new Refusal('invalid_state')
      await detachOthers(inner, owner, [])
      const now = await tenantTime(inner, owner, context.now)
      const invoices = await clearPlaces(inner, owner, { kept: made.paid, now })
      await forgetTold(inner, customer.id)
      const shown = customerView(customer, { processorId: made.processorId, invoices })
      await auditOnTenant(inner, context, owner, customer.id)
      return shown
    })
  } finally {
    await relinking?.release()
  }
}

function customerView(
  { id, tenantId, environment, processorId, createdAt }: EnsuredCustomer,
  made: { processorId: string; invoices: string[] },
): BillingCustomer {
  return {
    ...{ id, object: 'billing_customer', created: unixSeconds(createdAt), environment },
    ...{ tenant_id: tenantId, processor_id: made.processorId, replaced_id: processorId },
    invoices: made.invoices,
  }
}

interface Relinking {
  processor: Processor
  customer: EnsuredCustomer
  release(): Promise<void>
}

/** Takes the lease of a customer that the processor does not have any more. */
async function begin(
  { sql, now, newId }: OperatorContext,
  owner: Owner,
  processors: ProcessorPort['processors'],
): Promise<Relinking> {
  const processor = processors[owner.environment]
  const customer: CustomerRow | null = await findCustomer(sql, owner)
  if (customer === null || !isEnsured(customer)) throw new Refusal('resource_missing')
  if (processor === null) throw new Refusal('dependency_unavailable')
  const taken = await takeCustomer(sql, customer, {
    by: newId('lease'),
    now,
    until: now + LEASE_MS,
  })
  if (taken === null) throw new Refusal('dependency_unavailable')
  try {
    const there = await processor.readCustomer(customer.processorId)
    if (!there.ok && there.error.kind !== 'refused') throw new Refusal('dependency_unavailable')
    if (there.ok && !there.value.isDeleted) throw new Refusal('invalid_state', THERE)
    return { processor, customer, release: taken.release }
  } catch (error) {
    await taken.release()
    throw error
  }
}

const THERE = { message: 'The processor has the customer: nothing was deleted.' }
const ON_ITS_WAY = { message: 'The processor does not void an open invoice of the customer.' }

/** The new customer, and invoices that were paid in the old place meanwhile. */
async function makeAnew(
  { sql, now }: OperatorContext,
  { processor, customer }: Relinking,
): Promise<{ processorId: string; paid: string[] }> {
  const paid: string[] = []
  for (const placed of await findPlaced(sql, customer))
    if (await isPaidThere(processor, placed, customer.relinks)) paid.push(placed.id)
  const key = customer.id + '-r' + (customer.relinks + 1)
  const found = await processor.findCustomer(key, Math.floor((now - SINCE_MS) / 1000))
  if (!found.ok) throw new Refusal('dependency_unavailable')
  if (found.value !== null) return { processorId: found.value.id, paid }
  const made = await processor.createCustomer(customer, key)
  if (!made.ok) throw new Refusal('dependency_unavailable')
  return { processorId: made.value.id, paid }
}

/** Voids an invoice in the old place; true where it is paid there, and is ours to settle. */
async function isPaidThere(
  processor: Processor,
  { id, processorId }: Placed,
  relinks: number,
): Promise<boolean> {
  const looked = await processor.readInvoice(processorId)
  if (!looked.ok && looked.error.kind !== 'refused') throw new Refusal('dependency_unavailable')
  // The processor has it no more, or it is a draft that nothing opens.
  if (!looked.ok || ['void', 'draft'].includes(looked.value.status)) return false
  if (looked.value.status === 'paid') return true
  const voided = await processor.voidInvoice(processorId, id + '-r' + (relinks + 1) + '-void')
  if (!voided.ok && voided.error.kind === 'refused') throw new Refusal('invalid_state', ON_ITS_WAY)
  if (!voided.ok || voided.value.status !== 'void') throw new Refusal('dependency_unavailable')
  return false
}
