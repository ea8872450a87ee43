// Scenarios of an account: the amount that may still be spent, amounts in other currencies, and
// decisions of the network in our place.
import { valueAt } from '../api.ts'
import { Life } from '../life.ts'
import type { MessageChange } from '../message.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

interface Converted {
  card: string
  amountCents: number
  currency: string
  /** In the card's currency, worked out by hand from the sandbox's rates. */
  cents: number
}

const CONVERTED: readonly Converted[] = [
  // 10.00 EUR at 1.0850
  { card: 'scenario_plain', amountCents: 1000, currency: 'EUR', cents: 1085 },
  // 1.000 KWD at 3.2510
  { card: 'scenario_plain', amountCents: 1000, currency: 'KWD', cents: 325 },
  // 10.00 USD at 155.25: a half is rounded up, and a yen has no cents
  { card: 'yen', amountCents: 1000, currency: 'USD', cents: 1553 },
  // 10.00 USD at 1 / 3.2510: 3.0759766 dinars of a thousand fils
  { card: 'dinar', amountCents: 1000, currency: 'USD', cents: 3076 },
  // 1000 JPY at 1 / 168.45
  { card: 'euro', amountCents: 1000, currency: 'JPY', cents: 594 },
]

export const ACCOUNTS: readonly Scenario[] = [
  {
    name: 'balance_inquiry',
    story: 'An inquiry says what the limits leave, and changes nothing.',
    covers: [33],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      await life.leave(4200)
      await life.tell('balance_inquiry', 0, {
        answer: { approved: true, available_amount_cents: 4200 },
        event: 'authorized',
        status: 'authorized',
        sums: {},
      })
    },
  },
  {
    name: 'other_currencies',
    story: 'A purchase in another currency is held in the card’s, rounded to its smallest unit.',
    covers: [40],
    async play(stage) {
      for (const row of CONVERTED) await playConverted(stage, row)
    },
  },
  {
    name: 'rate_moves_before_clearing',
    story: 'Cleared at another rate than authorized, the purchase counts what was cleared.',
    covers: [40],
    play: playRateMoves,
  },
  {
    name: 'network_approved',
    story: 'What the network approved in our place is held, also over a limit, and then captured.',
    covers: [42],
    play: playNetworkApproved,
  },
  {
    name: 'network_declined',
    story: 'What the network declined in our place is recorded and holds nothing.',
    covers: [43],
    async play(stage) {
      const life = await Life.begin(stage, 'scenario_plain')
      await life.tell(
        'advice',
        {
          amount_cents: 1000,
          advice: { approved: false, decided_by: 'network', response_code: '51' },
        },
        {
          event: 'declined',
          status: 'declined',
          sums: {},
          flags: ['declined'],
          code: '51',
          reason: 'network_stand_in_declined',
          transaction: {
            decline_reason: 'network_stand_in_declined',
            decision: { decided_by: 'network', approved: false },
          },
        },
      )
    },
  },
]

async function playConverted(stage: Stage, row: Converted): Promise<void> {
  const { card, amountCents, currency, cents } = row
  const life = await Life.begin(stage, card, { currency })
  await life.tell('authorization', amountCents, {
    answer: { approved_amount_cents: amountCents },
    event: 'authorized',
    status: 'authorized',
    sums: { authorized: cents, open_hold: cents },
    transaction: {
      currency: stage.card(card).currency,
      amount_cents: cents,
      amounts: { merchant: { amount: amountCents, currency }, fx: { source: 'internal' } },
    },
  })
  await life.tell('reversal', amountCents, {
    event: 'reversed',
    status: 'reversed',
    sums: { authorized: cents, reversed: cents },
  })
}

async function playRateMoves(stage: Stage): Promise<void> {
  const life = await Life.begin(stage, 'scenario_plain', { currency: 'EUR' })
  await life.tell('authorization', 1000, {
    event: 'authorized',
    status: 'authorized',
    sums: { authorized: 1085, open_hold: 1085 },
  })
  const cleared: MessageChange & { amount_cents: number } = {
    amount_cents: 1000,
    billing: { amount_cents: 1102, currency: 'USD', rate: '1.102' },
  }
  await life.tell('capture', cleared, {
    event: 'captured',
    status: 'captured',
    sums: { authorized: 1085, captured: 1102 },
    flags: ['over_captured', 'final'],
    transaction: { amounts: { settlement: { amount: 1102, currency: 'USD' } } },
  })
}

async function playNetworkApproved(stage: Stage): Promise<void> {
  const life = await Life.begin(stage, 'scenario_plain')
  await life.leave(500)
  const advised = { authorized: 1000 }
  await life.tell(
    'advice',
    { amount_cents: 1000, advice: { approved: true, decided_by: 'network', response_code: '00' } },
    {
      event: 'authorized',
      status: 'authorized',
      sums: { ...advised, open_hold: 1000 },
      flags: ['limit_overrun'],
      transaction: { decision: { decided_by: 'network', approved: true } },
    },
  )
  // Nothing is left for another card.
  const other = await stage.send(stage.message(stage.card('scenario_plain'), { amount_cents: 1 }))
  stage.check('another purchase', 'limit_all_time', valueAt(other.answer, 'decline_reason'))
  await life.tell('capture', 1000, {
    event: 'captured',
    status: 'captured',
    sums: { ...advised, captured: 1000 },
    flags: ['limit_overrun', 'final'],
  })
}
