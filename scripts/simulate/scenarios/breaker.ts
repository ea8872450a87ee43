// An endpoint that keeps failing is not asked for a while: stand-in answers at once, and one
// request a second tries it again.
import { sleep } from '../../../shared/clock.ts'
import { approves, repliesWith } from '../behaviour.ts'
import { approved, stoodIn } from '../expected.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import type { Tenant } from '../tenant.ts'

const FAILURES_UNTIL_OPEN = 10
const PROBE_AFTER_MS = 1100
const FAILED = stoodIn('http_status')

export const BREAKER: readonly Scenario[] = [
  {
    name: 'breaker',
    story:
      'Ten failures in a row open the breaker; a probe that fails leaves it open, one that is answered closes it.',
    covers: [51],
    async play(stage) {
      const tenant = await stage.tenant()
      for (let failed = 0; failed < FAILURES_UNTIL_OPEN; failed++)
        await ask(stage, tenant, true, FAILED)
      await ask(stage, tenant, false, stoodIn('breaker_open'))
      await sleep(PROBE_AFTER_MS)
      await ask(stage, tenant, true, FAILED)
      await ask(stage, tenant, false, stoodIn('breaker_open'))
      await sleep(PROBE_AFTER_MS)
      const probe = stage.message(stage.card('scenario_realtime'))
      tenant.behave(probe.id, approves)
      await stage.authorize(probe, approved({ decidedBy: 'tenant' }))
      const next = stage.message(stage.card('scenario_realtime'))
      await stage.authorize(next, approved({ decidedBy: 'tenant' }))
    },
  },
]

/** A purchase about which the tenant, if it is asked, answers 500. */
async function ask(
  stage: Stage,
  tenant: Tenant,
  asked: boolean,
  expect: typeof FAILED,
): Promise<void> {
  const message = stage.message(stage.card('scenario_realtime'))
  tenant.behave(message.id, repliesWith(500, ''))
  await stage.authorize(message, expect)
  stage.check('times the tenant was asked', asked ? 1 : 0, tenant.askedAbout(message.id))
}
