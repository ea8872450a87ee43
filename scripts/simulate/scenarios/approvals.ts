// Approvals by the controls alone: the card may be named by token or by PAN.
import { approved } from '../expected.ts'
import { byPan, byToken } from '../message.ts'
import { authorizations, covering, type Scenario } from '../scenario.ts'

export const APPROVALS: readonly Scenario[] = covering(
  [1],
  authorizations('approve', 'An everyday purchase is approved by the controls.', {
    card: 'scenario_plain',
    expect: approved({ amountCents: 1234 }),
  }),
  authorizations('approve_by_token', 'A purchase that names the card by its token is approved.', {
    card: 'scenario_plain',
    by: byToken,
    expect: approved({ amountCents: 1234 }),
  }),
  authorizations('approve_by_pan', 'PAN, expiry and CVC match, and GET says so.', {
    card: 'scenario_plain',
    by: byPan,
    expect: verified(approved(), { cvc: 'match', expiry: 'match' }),
  }),
  authorizations('approve_without_cvc', 'A CVC that was not provided is no mismatch.', {
    card: 'scenario_plain',
    by: ({ pan, exp_month, exp_year }) => ({ pan, exp_month, exp_year }),
    expect: verified(approved(), { cvc: 'not_provided', expiry: 'match' }),
  }),
)

/** The same, and the transaction shows these verification results. */
function verified(
  expected: ReturnType<typeof approved>,
  verification: { cvc: string; expiry: string },
): ReturnType<typeof approved> {
  const { recorded } = expected
  return recorded === null
    ? expected
    : {
        ...expected,
        recorded: { ...recorded, transaction: { ...recorded.transaction, verification } },
      }
}
