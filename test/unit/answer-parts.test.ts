// The parts of an answer's text that a link reads by its keys, against the fields it was made of.
import { test } from 'tap'
import { type AnswerFields, answerText, partsOf } from '../../engine/line/answer-text.ts'
import { fc } from '../harness/properties.ts'

const code = fc.stringMatching(/^[0-9A-Z]{2}$/)
const fields: fc.Arbitrary<AnswerFields> = fc.record({
  messageId: fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constant('","approved":true,"response_code":"00","available_amount_cents":1}'),
    fc.constant(',"approved":true,\\"'),
  ),
  transactionId: fc.option(fc.constant('txn_01m8db875ae0095wfdphnb3fet')),
  approved: fc.boolean(),
  approvedAmountCents: fc.nat(),
  responseCode: code,
  authorizationCode: fc.option(fc.stringMatching(/^[0-9A-Z]{6}$/)),
  declineReason: fc.option(
    fc.constantFrom('insufficient_funds' as const, 'card_not_activated' as const),
  ),
  decidedBy: fc.constantFrom('system' as const, 'network' as const),
  standIn: fc.boolean(),
  availableCents: fc.option(fc.integer()),
})

test('the parts of a text are the fields that it was made of, whatever the message id', (t) => {
  fc.assert(
    fc.property(fields, (given) => {
      const { approved, approvedAmountCents, responseCode, authorizationCode, availableCents } =
        given
      t.same(partsOf(answerText(given)), {
        ...{ approved, approvedAmountCents, responseCode, authorizationCode, availableCents },
      })
    }),
    { numRuns: 500 },
  )
  t.end()
})
