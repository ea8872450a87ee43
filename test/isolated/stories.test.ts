// Stories about time, each with an engine of its own whose clock is moved by hand.
import { test } from 'tap'
import { Findings } from '../../scripts/simulate/findings.ts'
import { ownControls, ownLimit } from './config.ts'
import { openOwnEngine } from './engine.ts'
import { played } from './play.ts'
import { openSilentTenant } from './silence.ts'
import { approves, OwnStage, ownStory } from './stage.ts'
import { ISOLATED_STORIES } from './stories/all.ts'

const NOON = Date.UTC(2027, 1, 28, 12)
/** A fiftieth of it is usual if nothing else runs; the tenant never answers. */
const CLOSE_MS_MAX = 10_000

test('every isolated story comes true', async (t) => {
  t.ok(ISOLATED_STORIES.length > 20)
  for (const story of ISOLATED_STORIES) t.same(await played(story), [], story.name)
})

test('a false story names the difference', async (t) => {
  const wrong = ownStory({
    name: 'wrong',
    story: 'Everything in it is wrong.',
    at: NOON,
    async play(stage) {
      await stage.push(ownControls({ limits: [ownLimit({ amount_cents: 1000 })] }))
      const sent = await stage.send({ amount_cents: 1001 }, approves(1001))
      await stage.shows(sent, { status: 'authorized' }, 'authorized', 'captured')
      await stage.counted(sent, { used_before: 1 })
      await stage.refused({ amount_cents: 1 }, 400, { code: 'message_stale' })
      await stage.send({ transmitted_at: 'never' }, approves())
    },
  })
  const findings = new Findings()
  await wrong.playAlone(findings)
  const said = findings.mismatches.join('\n')
  t.match(said, /authorization of 1001: approved: expected true, got false/)
  t.match(said, /transaction of 1001: status: expected "authorized", got "declined"/)
  t.match(said, /transaction of 1001: events: length: expected 2, got 1/)
  t.match(said, /limits of 1001: \[0\].used_before: expected 1, got 0/)
  t.match(said, /refusal: status: expected 400, got 200/)
  t.match(said, /no decision: HTTP 400 .*transmitted_at/)
})

test('an isolated engine closes at once, also with an open request and holds', async (t) => {
  const engine = await openOwnEngine(NOON)
  const stage = new OwnStage(engine, new Findings())
  await stage.send({}, approves())
  const tenant = await openSilentTenant()
  await stage.push(...tenant.configCache(engine))
  const open = engine.send(engine.message())
  await tenant.asked()
  const beganMs = performance.now()
  await engine.close()
  t.ok(performance.now() - beganMs < CLOSE_MS_MAX, 'nothing is waited for')
  t.equal((await open).answer, null, 'nobody waits for its answer any more')
  tenant.close()
})
