// The smallest wrong changes for the stories that bring an engine of their own; see
// scenario-mutations.ts.
import type { Mutation } from './scenario-mutations.ts'

const LIFECYCLE = 'engine/lifecycle/'
const RULES = 'engine/rules/'

export const ISOLATED_MUTATIONS: { readonly [number: number]: Mutation } = {
  7: {
    path: RULES + 'within-limit.ts',
    before: 'if (used + reserved + requested <= limit) return null',
    after: 'if (used + reserved + requested < limit) return null',
  },
  13: {
    path: LIFECYCLE + 'hold-expiry.ts',
    before: '{ mccs: STAYS, days: 30 }',
    after: '{ mccs: STAYS, days: 20 }',
  },
  14: { path: RULES + 'hold.ts', before: 'value: 10_000,', after: 'value: 5_000,' },
  15: { path: RULES + 'hold.ts', before: 'value: 20,', after: 'value: 19,' },
  16: {
    path: LIFECYCLE + 'change.ts',
    before: 'captured > promised(sums)',
    after: 'captured < promised(sums)',
  },
  17: {
    path: LIFECYCLE + 'capture.ts',
    before: 'if (final) sums.released',
    after: 'if (!final) sums.released',
  },
  25: { path: LIFECYCLE + 'hold-expiry.ts', before: 'OTHERS_DAYS = 7', after: 'OTHERS_DAYS = 8' },
  33: {
    path: 'engine/authorize.ts',
    before: 'if (inquiry) pending.availableCents',
    after: 'if (!inquiry) pending.availableCents',
  },
  34: {
    path: 'engine/line/verify.ts',
    before: 'derivation.cvcVerifier(card.fingerprint, message.cvc) === card.cvc_verifier',
    after: 'derivation.cvcVerifier(card.fingerprint, message.cvc) !== card.cvc_verifier',
  },
  35: {
    path: 'engine/line/gather.ts',
    before: 'nowMs >= Date.UTC(card.exp_year, card.exp_month)',
    after: 'nowMs > Date.UTC(card.exp_year, card.exp_month)',
  },
  38: { path: 'shared/limits.ts', before: 'PIN_TRIES_MAX = 3', after: 'PIN_TRIES_MAX = 4' },
  40: {
    path: 'engine/line/convert.ts',
    before: '(BPS + BigInt(marginBps))',
    after: '(BPS - BigInt(marginBps))',
  },
  41: {
    path: 'engine/line/fraud.ts',
    before: 'judged.cardAmountCents <= (rule.amount_cents ?? 0)',
    after: 'judged.cardAmountCents > (rule.amount_cents ?? 0)',
  },
  42: {
    path: LIFECYCLE + 'advice.ts',
    before: 'if (transaction === null) return authorized(null, approval)',
    after: 'if (transaction === null) return refused(null)',
  },
  43: {
    path: LIFECYCLE + 'advice.ts',
    before: 'if (!advised.approved) return',
    after: 'if (advised.approved) return',
  },
  53: {
    path: 'engine/state/calendar.ts',
    before: 'endMs: startOf(clock, addDays(label, 1)),',
    after: 'endMs: startOf(clock, label) + DAY_MS,',
  },
  54: {
    path: 'shared/limits.ts',
    before: 'MESSAGE_AGE_MS_MAX = 24 * 3_600_000',
    after: 'MESSAGE_AGE_MS_MAX = 25 * 3_600_000',
  },
}
