import { test } from 'tap'
import { traceSteps } from '../../shared/rule-catalog.ts'

test('a rule of a later release is shown by its number', (t) => {
  t.match(traceSteps([[999, 2, 0, 'x']]), [
    { rule_id: 'rule_999', rule_version: 2, verdict: 'pass', inputs: { input_3: 'x' } },
  ])
  t.end()
})
