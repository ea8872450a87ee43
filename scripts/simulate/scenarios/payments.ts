// Payments in a stablecoin: decided by the engine, approved by a passkey, captured, refunded.
import { someText } from '../differences.ts'
import { approved } from '../expected.ts'
import { OwnTenant } from '../own-tenant.ts'
import { Payer } from '../payments/payer.ts'
import { payerStory } from '../payments/payer-story.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const BEGUN = ['authorized', 'needs_confirmation']
const CONFIRMED = [...BEGUN, 'confirmed']
/** A holder has 15 minutes to answer, a shop 7 days to capture. */
const CONFIRMATION_S = 15 * 60
const PAYMENT_S = 7 * 86_400
const CROWD = 100
const CROWD_CENTS = 10

export const PAYMENTS: readonly Scenario[] = [
  payerStory(
    'payment',
    'A payment is authorized, approved on a telephone, captured, and paid on the chain.',
    async (payer, stage) => {
      const id = await payer.confirmed(1250)
      await payer.capture(id, 1250)
      const landed = await payer.reaches(id, 'captured')
      stage.check('payment', { captured_cents: 1250, captures: [{ status: 'landed' }] }, landed)
      const batch = await payer.batchOf(landed)
      stage.check('batch', { status: 'completed', transaction_hash: someText }, batch)
      await payer.told(id, [...CONFIRMED, 'captured'])
      await payer.until(
        () => payer.account(),
        ({ balance_cents: cents }) => cents === 8750,
      )
      stage.check('account', { balance_cents: 8750, held_cents: 0 }, await payer.account())
    },
  ),
  payerStory(
    'payment_in_part',
    'A final capture of a part releases the rest at once.',
    async (payer, stage) => {
      const id = await payer.confirmed(2000)
      await payer.capture(id, 750)
      const landed = await payer.reaches(id, 'captured')
      stage.check('payment', { captured_cents: 750, voided_cents: 1250 }, landed)
    },
  ),
  payerStory(
    'payment_in_several_captures',
    'One approval carries several captures, and the rest is released by a void.',
    async (payer, stage) => {
      const id = await payer.confirmed(2000)
      await payer.capture(id, 500, false)
      await payer.capture(id, 700, false)
      const partly = await payer.reaches(id, 'partially_captured')
      stage.check('payment', { captured_cents: 1200, capturable_cents: 800 }, partly)
      await payer.call(id, 'void')
      const ended = await payer.reaches(id, 'captured')
      stage.check('payment', { captured_cents: 1200, voided_cents: 800 }, ended)
    },
  ),
  payerStory(
    'payment_refund',
    'A refund is drawn from what other payers pay, and goes back to the account.',
    async (payer, stage) => {
      const id = await payer.confirmed(900)
      await payer.capture(id, 900)
      await payer.reaches(id, 'captured')
      const other = await payer.confirmed(600)
      await payer.call(id, 'refund', { amount_cents: 400 })
      await payer.capture(other, 600)
      const refunded = await payer.reaches(id, 'partially_refunded')
      stage.check('payment', { refunded_cents: 400, refunds: [{ status: 'landed' }] }, refunded)
    },
  ),
  payerStory(
    'payments_of_a_mandate',
    'The holder approves once: payments under the mandate need no confirmation, within its limit.',
    async (payer, stage) => {
      await payer.next('approve')
      const id = String((await payer.mandate(1000))['id'])
      await payer.mandateReaches(id, 'active')
      for (const amount of [400, 600]) {
        const payment = await payer.ask(amount)
        stage.check(
          'payment',
          { status: 'authorized', confirmation: { by: 'mandate', url: null } },
          payment,
        )
        await payer.capture(String(payment['id']), amount)
        await payer.reaches(String(payment['id']), 'captured')
        await payer.told(String(payment['id']), ['authorized', 'captured'])
      }
      const used = await payer.mandateReaches(id, 'exhausted')
      stage.check('mandate', { used_cents: 1000, reserved_cents: 0 }, used)
      await payer.next('deny')
      stage.check('payment', { status: 'needs_confirmation' }, await payer.ask(1))
    },
  ),
  payerStory(
    'payment_without_funds',
    'A payment beyond the account’s balance is declined with its reason.',
    async (payer, stage) => {
      const declined = await payer.ask(10_001)
      stage.check(
        'payment',
        { status: 'risk_declined', decline_reason: 'insufficient_funds' },
        declined,
      )
      await payer.told(String(declined['id']), ['risk_declined'])
    },
  ),
  payerStory(
    'payment_denied_by_holder',
    'The holder denies: nothing is held any more, and no money moves.',
    async (payer, stage) => {
      await payer.next('deny')
      const id = String((await payer.ask(500))['id'])
      const voided = await payer.reaches(id, 'voided')
      stage.check('payment', { void_cause: 'holder_denied', voided_cents: 500 }, voided)
      await payer.told(id, [...BEGUN, 'voided'])
      stage.check('account', { held_cents: 0 }, await payer.account())
    },
  ),
  {
    name: 'payment_that_expires',
    story:
      'A holder who does not answer, and a shop that does not capture: each payment ends by itself, and what it held is free again.',
    play: playExpiry,
  },
  payerStory(
    'payment_after_a_card_used_the_limit',
    'Cards and payments of a cardholder share one limit: what the card used is gone for payments.',
    playSharedLimit,
  ),
  payerStory(
    'payments_a_hundred_at_once',
    'A hundred payments at once use the funds up: the one beyond them is declined.',
    playCrowd,
  ),
]

async function playExpiry(stage: Stage): Promise<void> {
  const own = await OwnTenant.open(stage.surroundings.sandbox, 'Expiring payments')
  stage.afterwards(() => own.close())
  const payer = await Payer.openOwn(stage, own)
  const advance = (seconds: number) =>
    own.call('POST', '/v1/sandbox/clock', { advance_seconds: seconds })
  // The telephone answers one payment: the next one waits in vain.
  const id = await payer.confirmed(700)
  const unanswered = await payer.ask(500)
  stage.check('payment', { status: 'needs_confirmation' }, unanswered)
  await advance(CONFIRMATION_S)
  const first = await payer.reaches(String(unanswered['id']), 'voided')
  stage.check('payment', { void_cause: 'confirmation_expired', voided_cents: 500 }, first)
  await advance(PAYMENT_S)
  const second = await payer.reaches(id, 'voided')
  stage.check('payment', { void_cause: 'authorization_expired', voided_cents: 700 }, second)
  await payer.told(id, [...CONFIRMED, 'voided'])
  stage.check('account', { held_cents: 0 }, await payer.account())
}

async function playSharedLimit(payer: Payer, stage: Stage): Promise<void> {
  const card = await payer.newCard()
  await payer.limitCardholder({ interval: 'daily', amountCents: 3000 })
  await stage.authorize(stage.message(card, { amount_cents: 2500 }), approved())
  stage.check('payment', { status: 'needs_confirmation' }, await payer.ask(500))
  const beyond = await payer.ask(1)
  stage.check('payment', { status: 'risk_declined', decline_reason: 'limit_daily' }, beyond)
}

async function playCrowd(payer: Payer, stage: Stage): Promise<void> {
  const asked = await Promise.all(
    Array.from({ length: CROWD + 1 }, () => payer.ask(CROWD_CENTS * 10)),
  )
  const held = asked.filter(({ status }) => status === 'needs_confirmation')
  stage.check('approved within 100.00', { count: CROWD }, { count: held.length })
  await Promise.all(held.map(({ id }) => payer.call(String(id), 'void')))
  stage.check('account', { held_cents: 0 }, await payer.account())
}
