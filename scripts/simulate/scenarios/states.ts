// Declines by the state of program, card and cardholder: one card of the sandbox stands in each of
// them.
import { declined, type Expected } from '../expected.ts'
import { byPan } from '../message.ts'
import { authorizations, covering, type Scenario } from '../scenario.ts'

function stateScenario(number: number, card: string, story: string, expect: Expected): Scenario[] {
  return covering(
    [number],
    authorizations(
      'decline_' + card,
      story,
      { card, expect },
      // The state counts, however the network names the card.
      { card, by: byPan, expect },
    ),
  )
}

const CARD_NOT_FOUND: Expected = {
  answer: {
    approved: false,
    approved_amount_cents: 0,
    response_code: '14',
    authorization_code: null,
    decline_reason: 'card_not_found',
    stand_in: false,
  },
  recorded: null,
}

export const STATES: readonly Scenario[] = [
  ...stateScenario(
    5,
    'program_suspended',
    'A suspended program declines every card of it.',
    declined({ reason: 'program_suspended', code: '62', rule: 'program_active' }),
  ),
  ...stateScenario(
    5,
    'program_pending',
    'A program that is not active yet declines every card of it.',
    declined({ reason: 'program_not_active', code: '62', rule: 'program_active' }),
  ),
  authorizations(
    'decline_card_not_found',
    'An unknown token and an unknown PAN are declined; no transaction is recorded.',
    {
      card: 'scenario_plain',
      by: () => ({ token: 'ctok_nobody_has_this_one' }),
      expect: CARD_NOT_FOUND,
    },
    {
      card: 'scenario_plain',
      by: (card) => ({ ...byPan(card), pan: '9999990000000000' }),
      expect: CARD_NOT_FOUND,
    },
  ),
  ...stateScenario(
    3,
    'not_activated',
    'A card that was issued and never activated is declined.',
    declined({ reason: 'card_not_activated', code: '78', rule: 'card_state' }),
  ),
  ...stateScenario(
    3,
    'suspended',
    'A suspended card is declined.',
    declined({ reason: 'card_suspended', code: '62', rule: 'card_state' }),
  ),
  ...stateScenario(
    3,
    'terminated',
    'A terminated card is declined.',
    declined({ reason: 'card_terminated', code: '46', rule: 'card_state' }),
  ),
  ...stateScenario(
    3,
    'expired',
    'A card past its expiry is declined, also with the right expiry.',
    declined({ reason: 'card_expired', code: '54', rule: 'card_not_expired' }),
  ),
  ...stateScenario(
    4,
    'cardholder_inactive',
    'An inactive cardholder is declined.',
    declined({ reason: 'cardholder_inactive', code: '62', rule: 'cardholder_state' }),
  ),
  ...stateScenario(
    4,
    'cardholder_frozen',
    'A frozen cardholder reads as inactive on the network; GET tells the tenant the true reason.',
    declined({
      reason: 'cardholder_frozen',
      outward: 'cardholder_inactive',
      code: '62',
      rule: 'cardholder_state',
    }),
  ),
]
