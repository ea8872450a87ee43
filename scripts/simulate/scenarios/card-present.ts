// Scenarios of the data that a message carries beside the card's number: PIN, wallet token, 3-D
// Secure, the stripe, and the place of use.
import { valueAt } from '../api.ts'
import { approved, declined, type Expected } from '../expected.ts'
import { byPan, byToken, type MessageChange, type NetworkCard } from '../message.ts'
import type { SecretCard } from '../sandbox.ts'
import { authorizations, covering, type Scenario, type Step } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const ONLINE = { entry_method: 'online' } as const
const ATM: MessageChange = {
  transaction_type: 'cash_withdrawal',
  entry_method: 'chip',
  merchant: { mcc: '6011', name: 'Cash machine' },
}
const FALLBACK = { entry_method: 'swipe', fallback_from_chip: true } as const
const PIN_TRIES = 3

/** The same, and the transaction shows this too. */
function showing(expected: Expected, transaction: Expected['answer']): Expected {
  const { recorded } = expected
  if (recorded === null) return expected
  return {
    ...expected,
    recorded: { ...recorded, transaction: { ...recorded.transaction, ...transaction } },
  }
}

function blocked(reason: string, code: string, rule: string): Expected {
  return declined({ reason, code, rule })
}

export const BLOCKS: readonly Scenario[] = covering(
  [6],
  authorizations(
    'decline_blocked_category',
    'A blocked category is the codes it stands for.',
    {
      card: 'blocked_category',
      change: { merchant: { mcc: '7995', name: 'Lucky Casino' } },
      expect: blocked('merchant_category_blocked', '57', 'merchant_category_allowed'),
    },
    { card: 'blocked_category', expect: approved() },
  ),
  authorizations(
    'decline_blocked_mcc_range',
    'A blocked range of codes holds both ends and what is between.',
    ...['3000', '3150', '3299'].map((mcc) => ({
      card: 'blocked_range',
      change: { merchant: { mcc, name: 'Airline' } },
      expect: blocked('merchant_category_blocked', '57', 'merchant_category_allowed'),
    })),
    { card: 'blocked_range', change: { merchant: { mcc: '3300' } }, expect: approved() },
  ),
  authorizations(
    'decline_blocked_presence',
    'A card that must be there cannot be used online.',
    {
      card: 'blocked_presence',
      change: ONLINE,
      expect: blocked('card_presence_blocked', '57', 'card_presence_allowed'),
    },
    { card: 'blocked_presence', change: { entry_method: 'chip' }, expect: approved() },
  ),
  authorizations(
    'decline_blocked_entry_method',
    'A number typed in by hand is declined where that is blocked.',
    {
      card: 'blocked_entry_method',
      change: { entry_method: 'manual' },
      expect: blocked('entry_method_blocked', '57', 'entry_method_allowed'),
    },
    { card: 'blocked_entry_method', change: ONLINE, expect: approved() },
  ),
)

function withToken(tokenOf: (card: SecretCard) => string, expect: Expected): Step {
  const wallet = (card: SecretCard) => ({ provider: 'apple_pay', token_id: tokenOf(card) })
  return { card: 'wallet_active', changeFor: (card) => ({ wallet: wallet(card) }), expect }
}

const ownToken = (card: SecretCard): string => card.wallet_token_id ?? ''
const TOKEN_INACTIVE = blocked('token_inactive', '62', 'wallet_token_active')

const WALLETS = covering(
  [36],
  authorizations(
    'wallet_token',
    'A wallet pays with its active token, not with a suspended one or one of nobody.',
    withToken(ownToken, showing(approved(), { verification: { wallet_token: 'active' } })),
    { ...withToken(ownToken, TOKEN_INACTIVE), card: 'wallet_suspended' },
    withToken(() => 'wtok_nobody', TOKEN_INACTIVE),
    {
      ...withToken(ownToken, blocked('wallet_blocked', '62', 'wallet_allowed')),
      card: 'blocked_wallet',
    },
  ),
)

type Claim = 'authenticated' | 'failed' | 'exempt'

function online(card: string, claim: Claim | null, expect: Expected): Step {
  return {
    card,
    changeFor: ({ three_ds_id: id }) => ({
      ...ONLINE,
      ...(claim !== null && {
        three_ds: { claim, ...(id !== undefined && { transaction_id: id }) },
      }),
    }),
    expect,
  }
}

const REQUIRED = blocked('authentication_required', '1A', 'online_authenticated')
const FAILED = blocked('authentication_failed', '59', 'online_authenticated')

const AUTHENTICATIONS = covering(
  [37],
  authorizations(
    'three_ds',
    'Where a control requires 3-D Secure an online payment needs one that succeeded; an exemption is none.',
    online('authenticated', 'authenticated', approved()),
    online('authentication_required', null, REQUIRED),
    online('authentication_required', 'exempt', REQUIRED),
    online('authentication_required', 'failed', FAILED),
    // The issuer's own knowledge counts more than the network's claim.
    online('authentication_failed', 'authenticated', FAILED),
    { card: 'authentication_required', change: { entry_method: 'chip' }, expect: approved() },
    online('scenario_plain', 'exempt', approved()),
  ),
)

const STRIPE = covering(
  [39],
  authorizations(
    'magstripe_fallback',
    'A chip card whose stripe was read is declined where that is blocked, and shown where it is not.',
    {
      card: 'blocked_fallback',
      change: FALLBACK,
      expect: blocked('insecure_entry_method', '62', 'chip_not_bypassed'),
    },
    { card: 'blocked_fallback', change: { entry_method: 'chip' }, expect: approved() },
    {
      card: 'scenario_plain',
      change: FALLBACK,
      expect: showing(approved(), { entry: { method: 'swipe', fallback_from_chip: true } }),
    },
  ),
)

const CASH = covering(
  [32],
  authorizations(
    'atm_with_fee',
    'Cash with a fee is one amount; a card without cash gets none, and cashback is shown.',
    {
      card: 'scenario_plain',
      change: { ...ATM, amount_cents: 10_300, fee_cents: 300 },
      expect: showing(approved({ amountCents: 10_300 }), {
        authorization_request: { kind: 'cash_withdrawal' },
        amounts: { components: { fee: { amount: 300, currency: 'USD' } } },
      }),
    },
    {
      card: 'blocked_atm',
      change: { ...ATM, amount_cents: 10_300 },
      expect: blocked('transaction_kind_blocked', '57', 'kind_allowed'),
    },
    {
      card: 'blocked_atm',
      change: { amount_cents: 5000, cashback_cents: 2000 },
      expect: showing(approved({ amountCents: 5000 }), {
        amounts: { components: { cashback: { amount: 2000, currency: 'USD' } } },
      }),
    },
  ),
)

const RECURRING = covering(
  [35],
  authorizations(
    'recurring_on_expired_card',
    'A subscription on a card past its expiry is declined, whoever begins it.',
    {
      card: 'expired',
      change: { entry_method: 'stored_credential', recurring: true, initiator: 'merchant' },
      expect: showing(blocked('card_expired', '54', 'card_not_expired'), {
        entry: { initiator: 'merchant', recurring: true },
      }),
    },
  ),
)

const PIN: Scenario = {
  name: 'pin_blocked',
  story:
    'Three wrong PINs in a row block the PIN, also the right one; resuming the card gives new tries.',
  covers: [38],
  async play(stage) {
    const card = stage.card('pin')
    const right = card.pin ?? ''
    const wrong = right === '0000' ? '0001' : '0000'
    await newTries(stage, card)
    await enterPin(stage, card, right, approved())
    for (let tried = 0; tried < PIN_TRIES; tried++) {
      const expect = blocked('pin_incorrect', '55', 'pin_matches')
      await enterPin(stage, card, wrong, expect)
    }
    const exceeded = blocked('pin_tries_exceeded', '75', 'pin_matches')
    await enterPin(stage, card, right, exceeded)
    await enterPin(stage, card, wrong, exceeded)
    await newTries(stage, card)
    await enterPin(stage, card, right, approved())
  },
}

async function enterPin(
  stage: Stage,
  card: SecretCard,
  pin: string,
  expect: Expected,
): Promise<void> {
  const named: NetworkCard = { ...byToken(card), pin }
  await stage.authorize(stage.message(card, { ...ATM, card: named }), expect)
}

async function newTries(stage: Stage, card: SecretCard): Promise<void> {
  await stage.api.suspend(card.id)
  await stage.api.resume(card.id)
}

const VERIFIED: Scenario = {
  name: 'account_verification',
  story: 'A verification of 0.00 looks at the card and its CVC, and holds nothing.',
  covers: [34],
  async play(stage) {
    const card = stage.card('scenario_plain')
    const verify = (change: NetworkCard) =>
      stage.message(card, {
        kind: 'account_verification',
        amount_cents: 0,
        ...ONLINE,
        card: { ...byPan(card), ...change },
      })
    const verified = await stage.authorize(
      verify({}),
      showing(approved({ code: '85', amountCents: 0 }), {
        authorization_request: { kind: 'account_verification' },
        verification: { cvc: 'match', expiry: 'match' },
      }),
    )
    stage.check('hold', 0, valueAt(verified, 'sums', 'open_hold_cents'))
    const wrong = card.cvc === '000' ? '001' : '000'
    await stage.authorize(verify({ cvc: wrong }), blocked('cvc_mismatch', 'N7', 'cvc_matches'))
  },
}

export const CARD_PRESENT: readonly Scenario[] = [
  ...CASH,
  VERIFIED,
  ...RECURRING,
  ...WALLETS,
  ...AUTHENTICATIONS,
  PIN,
  ...STRIPE,
]
