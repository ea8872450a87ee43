// Finishes what was begun and cut off before its conclusion, and lets go of what the holder did not
// approve in time. It runs beside the engine's client, in the api process.
import type { EpochMs } from '../../../shared/clock.ts'
import { dueByTenant } from '../../database/due.ts'
import type { Sql } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'
import { findPayee } from '../settlement-accounts/index.ts'
import { finishCapture } from './capture.ts'
import { concludeAuthorization } from './conclude.ts'
import { authorizationOf, type PaymentEnginePort } from './engine.ts'
import { begin, finishRelease } from './release.ts'
import { beginAbandon } from './settle-again.ts'
import { findAnyPayment, lockAnyPayment } from './store.ts'

/** Chosen: a call that is cut off longer ago than this, in milliseconds, is finished for it. */
const LEFT_MS = 10_000
const ROWS_MAX = 100
/** A failed capture is given up after 28 days: the engine forgets it after 35. */
const ABANDON_MS = 28 * 86_400_000

/** The job over an engine. */
export function paymentJob(port: PaymentEnginePort): Job {
  return {
    name: 'payments',
    every: 1000,
    lease: 60_000,
    batch: ROWS_MAX,
    async run({ sql, now }) {
      const left = now - LEFT_MS
      for (const id of await leftDeciding(sql, left))
        await finishAuthorization(sql, id, { port, now })
      for (const id of await leftCaptures(sql, left)) await finishCapture(sql, id, { port, now })
      for (const id of await unconfirmed(sql, now)) await expireConfirmation(sql, id, now)
      for (const id of await longFailed(sql, now)) await abandonLate(sql, id, now)
      for (const id of await leftReleases(sql, now)) await finishRelease(sql, id, { port, now })
      // While the engine is away the same rows stay due: the job pauses all the same.
      return 0
    },
  }
}

async function leftDeciding(sql: Sql, before: EpochMs): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payments where status = 'deciding' and ${dueByTenant(sql, 'created_at', before)}
    order by created_at limit ${ROWS_MAX}`
  return rows.map(({ id }) => id)
}

async function leftCaptures(sql: Sql, before: EpochMs): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payment_captures where status in ('asking', 'refusing')
      and ${dueByTenant(sql, 'created_at', before)}
    order by created_at limit ${ROWS_MAX}`
  return rows.map(({ id }) => id)
}

async function leftReleases(sql: Sql, now: EpochMs): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payments
    where releasing is not null and (
      releasing in ('authorization_expired', 'confirmation_expired', 'settlement_abandoned')
      or ${dueByTenant(sql, 'releasing_since', now - LEFT_MS)}
    )
    order by releasing_since limit ${ROWS_MAX}`
  return rows.map(({ id }) => id)
}

async function longFailed(sql: Sql, now: EpochMs): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct payment_id as id from payment_captures
    where status = 'failed' and ${dueByTenant(sql, 'created_at', now - ABANDON_MS)}
      and payment_id in (select id from payments where status = 'failed' and releasing is null)
    limit ${ROWS_MAX}`
  return rows.map(({ id }) => id)
}

async function unconfirmed(sql: Sql, now: EpochMs): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from payments where status = 'needs_confirmation' and releasing is null
      and ${dueByTenant(sql, 'confirmation_expires_at', now)}
    order by confirmation_expires_at limit ${ROWS_MAX}`
  return rows.map(({ id }) => id)
}

/** Where the engine recalls an earlier answer, the drain brings the entry. */
async function finishAuthorization(
  sql: Sql,
  id: string,
  { port, now }: { port: PaymentEnginePort; now: EpochMs },
): Promise<void> {
  const payment = await findAnyPayment(sql, id)
  const payee = payment && (await findPayee(sql, payment, payment.settlementAccountId))
  if (payment?.status !== 'deciding' || payee === null) return
  const answer = await port.decidePayment(authorizationOf(payment, payee))
  if (answer.state !== 'decided') return
  await tx(sql, async (inner) => {
    const held = await lockAnyPayment(inner, id)
    if (held?.status === 'deciding')
      await concludeAuthorization(inner, held, answer.entry, { now: now + held.clockOffsetMs })
  })
}

async function abandonLate(sql: Sql, id: string, now: EpochMs): Promise<void> {
  await tx(sql, async (inner) => {
    const payment = await lockAnyPayment(inner, id)
    const { status, askingCents, releasing } = payment ?? {}
    if (payment !== null && status === 'failed' && askingCents === 0 && releasing === null)
      await beginAbandon(inner, payment, now)
  })
}

async function expireConfirmation(sql: Sql, id: string, now: EpochMs): Promise<void> {
  await tx(sql, async (inner) => {
    const payment = await lockAnyPayment(inner, id)
    if (payment?.status !== 'needs_confirmation' || payment.releasing !== null) return
    await begin(inner, payment, 'confirmation_expired', now + payment.clockOffsetMs)
  })
}
