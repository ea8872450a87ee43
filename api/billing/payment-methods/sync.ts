// Fetches the payment methods of a customer and saves them as they are. Callbacks may come late,
// twice or never: the fetched list alone counts. Spec 6.2, billing.payment_method_updated.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { Result } from '../../../shared/result.ts'
import type { Owner } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { lockTenant, tenantTime } from '../../platform/tenants/index.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import type { EnsuredCustomer } from '../customers/index.ts'
import { recordException } from '../exceptions/index.ts'
import type { CardMethod, Processor, ProcessorFailure } from '../processor/index.ts'
import { renewAttempts } from './renew-attempts.ts'
import { detachOthers, insertMethod, saveMethod } from './store.ts'
import { type MethodRow, methodView } from './view.ts'

/** The methods of a customer as the processor knows them. */
export interface FetchedMethods {
  cards: readonly CardMethod[]
  defaultMethod: string | null
  /** The customer was deleted at the processor, and has no methods. */
  isDeleted: boolean
}

export async function fetchMethods(
  processor: Processor,
  customerId: string,
): Promise<Result<FetchedMethods, ProcessorFailure>> {
  const customer = await processor.readCustomer(customerId)
  if (!customer.ok) return customer
  const { isDeleted, defaultMethod } = customer.value
  if (isDeleted) return { ok: true, value: { cards: [], defaultMethod: null, isDeleted } }
  const cards = await processor.listMethods(customerId)
  return cards.ok ? { ok: true, value: { cards: cards.value, defaultMethod, isDeleted } } : cards
}

/**
 * Returns the methods that were never seen before. A customer that was deleted at the processor is
 * an exception: an operator makes it anew. `now` is installation time.
 */
export async function syncMethods(
  sql: Sql,
  processor: Processor,
  { customer, now }: { customer: EnsuredCustomer; now: EpochMs },
): Promise<Result<MethodRow[], ProcessorFailure>> {
  const fetched = await fetchMethods(processor, customer.processorId)
  if (!fetched.ok) return fetched
  const made = await tx(
    sql,
    async (inner) => {
      await lockTenant(inner, customer.tenantId)
      const at = {
        ...{ owner: customer, now: await tenantTime(inner, customer, now) },
        newId: (prefix: string) => newId(prefix, now),
      }
      const { tenantId, environment, processorId: subject } = customer
      const deleted = { kind: 'customer_deleted', subject, detail: {}, now } as const
      if (fetched.value.isDeleted)
        await recordException(inner, { environment, tenantId, ...deleted })
      return saveFetched(inner, fetched.value, at)
    },
    { safeToRepeat: true },
  )
  return { ok: true, value: made }
}

/**
 * Saves fetched methods, each new one with its event; the tenant is locked. `now` is tenant time.
 */
export async function saveFetched(
  sql: TxSql,
  { cards, defaultMethod }: FetchedMethods,
  { owner, now, newId: idOf }: { owner: Owner; now: EpochMs; newId(prefix: string): string },
): Promise<MethodRow[]> {
  const { tenantId, environment } = owner
  const made: MethodRow[] = []
  for (const { id: processorId, brand, last4, expMonth, expYear } of cards) {
    const row = {
      ...{ tenantId, environment, processorId, status: 'attached' as const },
      ...{ isDefault: processorId === defaultMethod, brand, last4, expMonth, expYear },
    }
    const inserted = await insertMethod(sql, { ...row, id: idOf('bpm'), createdAt: now })
    if (inserted === null) await saveMethod(sql, row)
    else made.push(inserted)
  }
  await detachOthers(
    sql,
    owner,
    cards.map(({ id }) => id),
  )
  if (made.length > 0) await renewAttempts(sql, owner, now)
  for (const row of made) {
    const event = { type: 'billing.payment_method_updated', resourceId: row.id } as const
    const data = { payment_method: methodView(row) }
    await recordEvent(sql, { tenantId, environment, ...event, data, now })
  }
  return made
}
