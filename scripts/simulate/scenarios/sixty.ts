// The sixty scenarios of Authorization 9 by number: the subject of each, and the stories that play
// it.
import type { Story } from '../scenario.ts'

const TITLES: readonly (readonly [number: number, title: string])[] = [
  [1, 'An approval'],
  [2, 'Not enough money: the tenant says so'],
  [3, 'Each state of a card'],
  [4, 'Each state of a cardholder'],
  [5, 'A suspended program'],
  [6, 'Blocks of category, merchant, country and presence'],
  [7, 'Each interval below, at and above its limit'],
  [8, 'Two authorizations at once for one remaining unit'],
  [9, 'A hundred authorizations at once against one limit'],
  [10, 'Partial approval, capable and not capable'],
  [11, 'Three increments, then the final clearing'],
  [12, 'A declined increment keeps the original'],
  [13, 'A hotel: five increments, 28 days, clearing'],
  [14, 'Fuel: 1.00, a hold of 100, advice of 62.41, clearing'],
  [15, 'A restaurant clears a tip of 20 % above its authorization'],
  [16, 'A ride: 1.00 authorized, 37.80 cleared'],
  [17, 'One purchase cleared in three shipments'],
  [18, 'A partial reversal, then the capture'],
  [19, 'A reversal before the approval was sent'],
  [20, 'A 0100 repeated as 0101: the same answer'],
  [21, 'A 0101 with a changed amount: 94'],
  [22, 'A reversal repeated five times'],
  [23, 'The clearing before its authorization'],
  [24, 'The reversal before its authorization'],
  [25, 'Expiry, then a late clearing'],
  [26, 'A forced post: an airline that was offline'],
  [27, 'A capture after a decline'],
  [28, 'A linked refund: a part, all, too much'],
  [29, 'A refund that is linked to nothing'],
  [30, 'The authorization of a refund'],
  [31, 'A refund to a terminated card'],
  [32, 'A cash machine with a fee; cashback'],
  [33, 'A balance inquiry'],
  [34, 'An account verification of 0.00 with its CVC'],
  [35, 'A recurring payment on an expired card'],
  [36, 'A wallet token, active and suspended'],
  [37, '3-D Secure required, failed, exempt'],
  [38, 'A wrong PIN three times blocks'],
  [39, 'The stripe read because the chip would not be'],
  [40, 'Foreign currencies; the rate moves before the clearing'],
  [41, 'Card testing: two hundred small authorizations'],
  [42, 'The network approved in our place; its advice comes later'],
  [43, 'The network declined in our place'],
  [44, 'The tenant approves at 1.49 s, 1.51 s and 3 s'],
  [45, 'The tenant answers 500, 204, 301, 404'],
  [46, 'The tenant answers with a body that is no answer'],
  [47, 'The tenant answers byte by byte'],
  [48, 'The tenant’s TLS is expired or of another host; it resets after its headers'],
  [49, 'The tenant’s name cannot be resolved'],
  [50, 'The tenant approves, then the engine is killed'],
  [51, 'The breaker opens, half-opens and closes'],
  [52, 'Two secrets during a rotation'],
  [53, 'Windows at midnight, over daylight saving time, on the 31st and on 29 February'],
  [54, 'The network’s clock is wrong'],
  [55, 'A dispute from capture to won, lost and expired'],
  [56, 'A settlement file that does not match'],
  [57, 'Sign-on and echo'],
  [58, 'A link that drops inside a message'],
  [59, 'Fuzzed bitmaps'],
  [60, 'A day’s journal decided again, byte for byte'],
]

export interface Numbered {
  number: number
  title: string
  /** Names of the stories that play it. */
  stories: readonly string[]
}

/** All sixty, in their order. */
export function theSixty(stories: readonly Story[]): Numbered[] {
  return TITLES.map(([number, title]) => ({
    number,
    title,
    stories: stories.filter(({ covers }) => covers?.includes(number)).map(({ name }) => name),
  }))
}
