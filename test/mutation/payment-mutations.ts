// The smallest wrong change for each story of payments; see scenario-mutations.ts. Their numbers
// begin at 101, in the order of the catalog.
import type { Mutation } from './scenario-mutations.ts'

const PAYMENTS = 'api/payments/payments/'
const SETTLER = 'api/payments/settler/'
const FUNDS = 'engine/rules/funds-available.ts'

export const PAYMENT_MUTATIONS: { readonly [story: string]: Mutation } = {
  payment: {
    path: PAYMENTS + 'land.ts',
    before: 'capturedCents: payment.capturedCents + amountCents }',
    after: 'capturedCents: payment.capturedCents }',
  },
  payment_in_part: {
    path: PAYMENTS + 'conclude.ts',
    before: 'const released = final && rest > 0 ?',
    after: 'const released = !final && rest > 0 ?',
  },
  payment_in_several_captures: {
    path: PAYMENTS + 'states.ts',
    before: "return rest > 0 ? 'partially_captured' : 'captured'",
    after: "return 'captured'",
  },
  payment_refund: {
    path: PAYMENTS + 'land.ts',
    before: 'refundedCents: payment.refundedCents + amountCents,',
    after: 'refundedCents: payment.refundedCents,',
  },
  payments_of_a_mandate: {
    path: PAYMENTS + 'conclude.ts',
    before: "payment.mandateId === null ? 'approve' : 'approve_covered'",
    after: "payment.mandateId === null ? 'approve' : 'approve'",
  },
  payment_without_funds: {
    path: FUNDS,
    before: 'return used + reserved + requested <= funded',
    after: 'return used + reserved <= funded',
  },
  payment_denied_by_holder: {
    path: PAYMENTS + 'hosted.ts',
    before: "begin(inner, held, 'holder_denied'",
    after: "begin(inner, held, 'requested'",
  },
  payment_that_expires: {
    path: PAYMENTS + 'finish.ts',
    before: "begin(inner, payment, 'confirmation_expired'",
    after: "begin(inner, payment, 'authorization_expired'",
  },
  payment_after_a_card_used_the_limit: {
    path: 'engine/line/conclude.ts',
    before: 'meters: approved ? keys : NO_KEYS,',
    after: 'meters: NO_KEYS,',
  },
  payments_a_hundred_at_once: {
    path: FUNDS,
    before: 'return used + reserved + requested <= funded',
    after: 'return used + reserved + requested < funded',
  },
  payment_of_a_blocked_account: {
    path: 'api/payments/settlement-batches/outcome.ts',
    before: 'items.filter(({ id }) => outcome.failures.has(id))',
    after: 'items.filter(() => false)',
  },
  payment_to_a_blocked_shop: {
    path: SETTLER + 'rehearse.ts',
    before: 'if (batch.refusedSince === null) {',
    after: 'if (now > 0) {',
  },
  payment_while_the_token_pauses: {
    path: SETTLER + 'rehearse.ts',
    before: 'if (now - batch.refusedSince < line.pace.refusedMsMax) return null',
    after: 'return null',
  },
  withdrawal_of_a_holder: {
    path: 'api/payments/payment-withdrawals/outcome.ts',
    before: "set status = 'completed', completed_at",
    after: "set status = 'included', completed_at",
  },
  payment_with_a_stuck_fee: {
    path: SETTLER + 'fees.ts',
    before: 'const isPatient = sentBlock !== null && head - sentBlock < line.pace.patienceBlocks',
    after: 'const isPatient = sentBlock !== null',
  },
  payment_in_a_replaced_block: {
    path: SETTLER + 'send.ts',
    before: 'if (attempt.signed.length === 0) return',
    after: 'if (attempt.signed.length === 0 || attempt.sentBlock !== null) return',
  },
  withdrawal_without_the_service: {
    path: SETTLER + 'balances.ts',
    before: 'leaving: BigInt(state.leaving), block',
    after: 'leaving: 0n, block',
  },
}
