// From the authorization to the money: amounts that are held, raised, reversed, captured and
// refunded.
import { Life, type Told } from '../life.ts'
import type { MessageChange } from '../message.ts'
import type { Scenario } from '../scenario.ts'

const card = 'scenario_plain'
const RESTAURANT: MessageChange = { merchant: { mcc: '5812', name: 'Trattoria' } }
const PUMP: MessageChange = { merchant: { mcc: '5542', name: 'Self-Service Fuel' } }
const RIDE: MessageChange = {
  merchant: { mcc: '4121', name: 'Ride' },
  entry_method: 'stored_credential',
}
const AIRLINE: MessageChange = { merchant: { mcc: '4511', name: 'Airline, on board' } }

/** Nothing happened but the hold of this much. */
function held(cents: number): Told {
  return {
    event: 'authorized',
    status: 'authorized',
    sums: { authorized: cents, open_hold: cents },
  }
}

/** The number in front is the one of the sixty that it plays. */
function story(
  [number, name]: readonly [number, string],
  sentence: string,
  tell: (life: Life) => Promise<void>,
  change: MessageChange = {},
): Scenario {
  return {
    name,
    story: sentence,
    covers: [number],
    play: async (stage) => tell(await Life.begin(stage, card, change)),
  }
}

export const CLEARING: readonly Scenario[] = [
  story(
    [11, 'increments_then_clearing'],
    'Three increments add to the hold; the final clearing takes all of it.',
    async (life) => {
      await life.tell('authorization', 5000, held(5000))
      for (const incremented of [1000, 2000, 3000]) {
        await life.tell('incremental', 1000, {
          event: 'authorized',
          status: 'authorized',
          sums: { authorized: 5000, incremented, open_hold: 5000 + incremented },
        })
      }
      await life.tell('capture', 8000, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 5000, incremented: 3000, captured: 8000 },
        flags: ['final'],
      })
    },
  ),
  story(
    [12, 'increment_declined'],
    'An increment over the limit is declined; the original hold stands and is captured.',
    async (life) => {
      await life.leave(1500)
      await life.tell('authorization', 1000, held(1000))
      await life.tell('incremental', 1000, {
        code: '61',
        reason: 'limit_all_time',
        event: 'declined',
        status: 'authorized',
        sums: { authorized: 1000, open_hold: 1000 },
      })
      await life.tell('capture', 1000, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 1000, captured: 1000 },
        flags: ['final'],
      })
    },
  ),
  story(
    [14, 'fuel'],
    'A pump asks for 1.00, holds 100.00, advises 62.41 and clears it.',
    async (life) => {
      await life.tell('authorization', 100, {
        event: 'authorized',
        status: 'authorized',
        sums: { authorized: 100, adjusted: 9900, open_hold: 10_000 },
      })
      await life.tell(
        'advice',
        { amount_cents: 6241, advice: { approved: true } },
        {
          event: 'authorized',
          status: 'authorized',
          sums: { authorized: 100, adjusted: 6141, open_hold: 6241 },
          flags: ['amount_advised'],
        },
      )
      await life.tell('capture', 6241, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 100, adjusted: 6141, captured: 6241 },
        flags: ['final', 'amount_advised'],
      })
    },
    PUMP,
  ),
  story(
    [15, 'restaurant_tip'],
    'A restaurant holds a fifth more than it asks for; the tip is inside, more than that is flagged.',
    async (life) => {
      const authorized = { authorized: 5000, adjusted: 1000 }
      await life.tell('authorization', 5000, {
        event: 'authorized',
        status: 'authorized',
        sums: { ...authorized, open_hold: 6000 },
      })
      await life.tell(
        'capture',
        { amount_cents: 6000, final: false },
        { event: 'captured', status: 'captured', sums: { ...authorized, captured: 6000 } },
      )
      await life.tell('capture', 100, {
        event: 'captured',
        status: 'captured',
        sums: { ...authorized, captured: 6100 },
        flags: ['over_captured', 'final'],
      })
    },
    RESTAURANT,
  ),
  story(
    [16, 'ride_over_capture'],
    'A ride is authorized for 1.00 and clears 37.80: accepted, counted and flagged.',
    async (life) => {
      await life.tell('authorization', 100, held(100))
      await life.tell('capture', 3780, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 100, captured: 3780 },
        flags: ['over_captured', 'final'],
      })
    },
    RIDE,
  ),
  story(
    [17, 'three_shipments'],
    'One purchase is cleared in three shipments; the last one releases what is left.',
    async (life) => {
      await life.tell('authorization', 9000, held(9000))
      for (const captured of [3000, 6000]) {
        await life.tell(
          'capture',
          { amount_cents: 3000, final: false },
          {
            event: 'captured',
            status: 'partially_captured',
            sums: { authorized: 9000, captured, open_hold: 9000 - captured },
          },
        )
      }
      await life.tell('capture', 2500, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 9000, captured: 8500, released: 500 },
        flags: ['final'],
      })
    },
  ),
  story(
    [18, 'partial_reversal_then_capture'],
    'A part of the hold is given back, the rest is captured.',
    async (life) => {
      await life.tell('authorization', 5000, held(5000))
      await life.tell('reversal', 2000, {
        event: 'reversed',
        status: 'authorized',
        sums: { authorized: 5000, reversed: 2000, open_hold: 3000 },
      })
      await life.tell('capture', 3000, {
        event: 'captured',
        status: 'captured',
        sums: { authorized: 5000, reversed: 2000, captured: 3000 },
        flags: ['final'],
      })
    },
  ),
  story(
    [26, 'force_post'],
    'An airline that was offline clears what nobody authorized.',
    async (life) => {
      await life.tell('capture', 1500, {
        event: 'captured',
        status: 'captured',
        sums: { captured: 1500 },
        flags: ['force_post', 'final'],
      })
    },
    AIRLINE,
  ),
  story(
    [27, 'capture_after_decline'],
    'What was declined is captured nevertheless: it counts, and is flagged.',
    async (life) => {
      await life.leave(999)
      await life.tell('authorization', 1000, {
        code: '61',
        reason: 'limit_all_time',
        event: 'declined',
        status: 'declined',
        sums: {},
        flags: ['declined'],
      })
      await life.tell('capture', 1000, {
        event: 'captured',
        status: 'captured',
        sums: { captured: 1000 },
        flags: ['captured_after_decline', 'limit_overrun', 'final'],
      })
    },
  ),
]
