// Money that comes back: linked to a purchase, linked to nothing, asked for first, or for a card
// that is gone.
import { Life } from '../life.ts'
import type { Scenario } from '../scenario.ts'

const CAPTURED = { authorized: 5000, captured: 5000 }

export const REFUNDS: readonly Scenario[] = [
  {
    name: 'refund_linked',
    story: 'A part of a purchase is refunded, then all of it, then more than was ever captured.',
    covers: [28],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      await life.tell('authorization', 5000, {
        event: 'authorized',
        status: 'authorized',
        sums: { authorized: 5000, open_hold: 5000 },
      })
      const flags = ['final']
      await life.tell('capture', 5000, {
        event: 'captured',
        status: 'captured',
        sums: CAPTURED,
        flags,
      })
      await life.tell('refund', 2000, {
        event: 'refunded',
        status: 'partially_refunded',
        sums: { ...CAPTURED, refunded: 2000 },
        flags,
      })
      await life.tell('refund', 3000, {
        event: 'refunded',
        status: 'refunded',
        sums: { ...CAPTURED, refunded: 5000 },
        flags,
      })
      await life.tell('refund', 100, {
        event: 'refunded',
        status: 'refunded',
        sums: { ...CAPTURED, refunded: 5100 },
        flags: ['over_refunded', 'final'],
      })
    },
  },
  {
    name: 'refund_unlinked',
    story: 'A refund that belongs to no purchase we know is recorded by itself.',
    covers: [29],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      await life.tell('refund', 700, {
        event: 'refunded',
        status: 'refunded',
        sums: { refunded: 700 },
        flags: ['unlinked'],
        transaction: { direction: 'credit' },
      })
    },
  },
  {
    name: 'refund_before_authorization',
    story: 'A refund that comes before the purchase it names is one transaction with it.',
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      const refund = life.naming('refund', 2000)
      await life.check(refund, await stage.send(refund), {
        event: 'refunded',
        status: 'refunded',
        sums: { refunded: 2000 },
        flags: ['unlinked', 'awaits_original'],
        transaction: { direction: 'credit' },
      })
      await life.tell('authorization', 5000, {
        event: 'authorized',
        status: 'refunded',
        sums: { authorized: 5000, refunded: 2000, open_hold: 5000 },
        transaction: { direction: 'debit' },
      })
      await life.tell('capture', 5000, {
        event: 'captured',
        status: 'partially_refunded',
        sums: { ...CAPTURED, refunded: 2000 },
        flags: ['final'],
      })
    },
  },
  {
    name: 'refund_authorization',
    story: 'A refund that is asked for first holds nothing and counts nothing.',
    covers: [30],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain', { transaction_type: 'refund' })
      await life.tell('authorization', 900, {
        event: 'authorized',
        status: 'authorized',
        sums: {},
        transaction: { direction: 'credit' },
      })
      await life.tell('refund', 900, {
        event: 'refunded',
        status: 'refunded',
        sums: { refunded: 900 },
        transaction: { direction: 'credit' },
      })
    },
  },
  {
    name: 'refund_to_terminated_card',
    story: 'A refund reaches a card that is terminated.',
    covers: [31],
    async play(stage) {
      const { id } = stage.card('terminated')
      const refund = stage.message(stage.card('terminated'), { kind: 'refund', amount_cents: 1200 })
      const { answer } = await stage.send(refund)
      stage.check('answer', { response_code: '00', decline_reason: null }, answer)
      const transaction = await stage.api.transaction(String(answer?.transaction_id))
      stage.check(
        'transaction',
        {
          status: 'refunded',
          direction: 'credit',
          sums: { refunded_cents: 1200, open_hold_cents: 0 },
          card: { id, status: 'terminated' },
        },
        transaction,
      )
      stage.check(
        'events',
        ['card.transaction.refunded'],
        (await stage.api.events(String(answer?.transaction_id))).map((event) => event['type']),
      )
    },
  },
]
