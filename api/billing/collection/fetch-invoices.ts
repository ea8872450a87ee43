// Fetches an invoice that rang, and saves its state.
import type { Result } from '../../../shared/result.ts'
import { tx } from '../../database/transaction.ts'
import { findCustomerOf } from '../customers/index.ts'
import { recordException } from '../exceptions/index.ts'
import type { ProcessorFailure } from '../processor/index.ts'
import { withCustomer } from './collect.ts'
import type { Fetch, Fetchers } from './fetch-bells.ts'
import { findCollected } from './store.ts'

/** Milliseconds until a customer whose calls another process makes is free. */
const BUSY_MS = 1000
const DONE = { ok: true, value: null } as const

export const INVOICE_FETCHERS: Fetchers = { in: fetchInvoice }

async function fetchInvoice(fetch: Fetch): Promise<Result<unknown, ProcessorFailure>> {
  const { sql, log, processor, environment, objectId, now } = fetch
  const given = await processor.readInvoice(objectId)
  if (!given.ok) return given
  const { ours, customer, total } = given.value
  const due = await findCollected(sql, environment, { processorId: objectId, ours })
  if (due === null) {
    const known = await findCustomerOf(sql, environment, customer)
    if (known === null) return DONE
    const detail = { customer, total }
    const named = { kind: 'unknown_invoice', subject: objectId, detail, now } as const
    const { tenantId } = known
    await tx(sql, (inner) => recordException(inner, { environment, tenantId, ...named }), {
      safeToRepeat: true,
    })
    return DONE
  }
  const isDone = await withCustomer({ sql, log, now }, { processor, due, mayPay: false })
  return isDone ? DONE : { ok: false, error: { kind: 'busy', retryAfterMs: BUSY_MS } }
}
