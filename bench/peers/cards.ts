// The world of the peers from the cards of the engine's stand: the same tokens, the same lists and
// the same limit on each.
import { readFileSync } from 'node:fs'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { LineTestbed } from '../line/testbed.ts'
import { CHECK_LIMIT_CENTS, type CheckCard } from './scenarios.ts'
import { policyOf, type World } from './world.ts'

/** As `bench/line/seed.ts` writes them into the control of each card. */
const BLOCKED_MCCS = ['7995', '6051', '4829']
const BLOCKED_COUNTRIES = ['KP', 'IR']
const DAILY_CENTS = 900_000_000_000

type Named = NetworkMessage['card']

/**
 * Every card of the testbed, and cards that only checks use. `root` is the key with which the peers
 * hash numbers.
 */
export function worldOf(stand: LineTestbed, root: Buffer, checkCards: readonly CheckCard[]): World {
  const derivation = deriveKeys(root, encodeId)
  const [tokens, numbers] = (['token', 'pan'] as const).map(
    (by) => JSON.parse(readFileSync(stand.messages(1, { by }).cardsFile, 'utf8')) as Named[],
  )
  const cards = (tokens ?? []).map(({ token = '' }, at) => {
    const {
      pan = '',
      exp_month: expMonth = 0,
      exp_year: expYear = 0,
      cvc = '',
    } = numbers?.[at] ?? {}
    const fingerprint = derivation.fingerprint(pan)
    const cvcVerifier = derivation.cvcVerifier(fingerprint, cvc)
    return { ...cardOf('card_' + at, token), fingerprint, expMonth, expYear, cvcVerifier }
  })
  const checked = checkCards.map(({ id, token }) => cardOf(id, token))
  const lists = { blockedMccs: BLOCKED_MCCS, blockedCountries: BLOCKED_COUNTRIES }
  return {
    programs: [{ id: 'prog', status: 'active' }],
    cardholders: [...cards, ...checked].map(({ cardholderId: id }) => ({
      id,
      status: 'active',
      frozen: false,
    })),
    cards: [...cards, ...checked],
    policies: [
      ...cards.map(({ id }) => ({ ...policyOf(id, 3, { daily: DAILY_CENTS }), ...lists })),
      ...checked.map(({ id }) => ({ ...policyOf(id, 3, { daily: CHECK_LIMIT_CENTS }), ...lists })),
    ],
  }
}

function cardOf(id: string, token: string) {
  return {
    id,
    programId: 'prog',
    cardholderId: 'ch_' + id,
    token,
    fingerprint: id,
    status: 'active',
    expMonth: 12,
    expYear: 2034,
    cvcVerifier: '',
    currency: 'USD',
  }
}
