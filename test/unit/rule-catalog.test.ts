import { test } from 'tap'
import { traceSteps } from '../../shared/rule-catalog.ts'

test('a trace of a retired rule is still explained in its words', (t) => {
  t.same(traceSteps([[8, 1, 1, 'USD', 'JPY']]), [
    {
      rule_id: 'currency_accepted',
      rule_version: 1,
      verdict: 'fail',
      inputs: { card_currency: 'USD', currency: 'JPY' },
    },
  ])
  t.end()
})

test('a rule of a later release is shown by its number', (t) => {
  t.match(traceSteps([[999, 2, 0, 'x']]), [
    { rule_id: 'rule_999', rule_version: 2, verdict: 'pass', inputs: { input_3: 'x' } },
  ])
  t.end()
})
