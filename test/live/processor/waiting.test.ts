// Payments that wait for a bank: no failure until the bank declines, and one from then on.
import { test } from 'tap'
import type { ProcessingEnd } from '../../../scripts/stripe-peer/invoices.ts'
import { DAY_MS, provision } from '../../harness/billing.ts'
import { beginBilling, isOf } from '../../harness/billing-story.ts'
import { file } from '../../harness/per-file.ts'
import { control } from '../../harness/stripe-peer.ts'

const HOUR_MS = 3_600_000

/** A tenant whose payment waits for its bank. */
async function beginWaiting() {
  const story = await beginBilling(file, { card: 'visa' })
  story.peer.faults.order({ kind: 'processing' })
  await story.settle()
  const ofOurs = story.peer.store.all('invoice').find((one) => isOf(one.metadata, story.invoiceId))
  if (ofOurs === undefined) throw new Error('no invoice')
  const answer = (end: Omit<ProcessingEnd, 'invoice'> = {}) =>
    control(story.peer, 'processing', { invoice: ofOurs.id, ...end })
  return { ...story, answer }
}

test('a payment that waits and is declined later fails then, and dunning begins there', async (t) => {
  const { api, peer, invoice, subscription, notices, settle, answer, addCard, charges } =
    await beginWaiting()
  api.clock.nowMs += 3 * DAY_MS
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 0, next_attempt_at: null })
  t.match(await subscription(), { status: 'active', overdue_since: null })
  // The bell is lost: the hourly look finds the decline.
  peer.faults.order({ kind: 'lose', on: 'invoice', times: 5 })
  await answer({ decline_code: 'insufficient_funds' })
  api.clock.nowMs += HOUR_MS
  await settle()
  const failed = await invoice()
  const nowS = Math.floor(api.clock.nowMs / 1000)
  t.match(failed, { status: 'open', attempts: 1, next_attempt_at: nowS + 86_400 })
  t.match(await subscription(), { status: 'past_due', overdue_since: nowS })
  t.same(await notices(), ['payment_failed'])
  await settle()
  t.match(await invoice(), { attempts: 1 }, 'it failed once')
  await addCard('visa')
  await settle()
  t.match(await invoice(), { status: 'paid' })
  t.match(await subscription(), { status: 'active' })
  t.equal(charges(), 1)
})

test('a hard decline of a payment that waited is not tried again with its method', async (t) => {
  // A card has a reason of its issuer; a bank account has only the code of the error.
  for (const end of [{ decline_code: 'stolen_card' }, { code: 'account_closed' }]) {
    const { api, invoice, settle, settled, answer, charges } = await beginWaiting()
    await answer(end)
    await settled(async () => (await invoice()).attempts === 1)
    api.clock.nowMs += 20 * DAY_MS
    await settle()
    t.match(await invoice(), { status: 'open', attempts: 1, next_attempt_at: null })
    t.equal(charges(), 0)
  }
})

test('an attempt that ends without an error is a failure, and the next one pays', async (t) => {
  for (const status of ['canceled', 'requires_payment_method'] as const) {
    const { api, invoice, subscription, settle, settled, answer, charges } = await beginWaiting()
    await answer({ status })
    await settled(async () => (await invoice()).attempts === 1)
    const nowS = Math.floor(api.clock.nowMs / 1000)
    t.match(await invoice(), { status: 'open', next_attempt_at: nowS + 86_400 }, status)
    t.match(await subscription(), { status: 'past_due' })
    api.clock.nowMs += DAY_MS
    await settle()
    t.match(await invoice(), { status: 'paid' })
    t.equal(charges(), 1)
  }
})

test('a payment that waited and arrives is paid once', async (t) => {
  const { invoice, settled, answer, charges } = await beginWaiting()
  await answer()
  await settled(async () => (await invoice()).status === 'paid')
  t.match(await invoice(), { attempts: 0 })
  t.equal(charges(), 1)
})

test('terms that send invoices change nothing of one that a card pays', async (t) => {
  const { api, peer, invoice, settle, charges } = await beginBilling(file, { card: 'visa' })
  peer.faults.order({ kind: 'decline', decline_code: 'insufficient_funds' })
  await settle()
  t.match(await invoice(), { status: 'open', attempts: 1 })
  await provision(api, { base_cents: 9900, net_days: 30 })
  api.clock.nowMs += DAY_MS
  await settle()
  t.match(await invoice(), { status: 'paid' }, 'the second attempt was made')
  t.equal(charges(), 1)
})
