import { test } from 'tap'
import { killDeliveryUnderLoad } from '../faults/delivery-kills.ts'
import { SHORT } from '../faults/fault.ts'

/** Two of each. */
const KILLS = 6

test('dispatcher, api and PostgreSQL killed in turns: every event arrives, none too often, one notice each time', async (t) => {
  const found = await killDeliveryUnderLoad({
    effort: { ...SHORT, kills: KILLS },
    teardown: (task) => t.teardown(task),
    say: (line) => t.comment(line),
  })
  t.same(found.problems, [], found.injected)
})
