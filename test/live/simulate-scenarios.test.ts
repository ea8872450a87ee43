import { type Test, test } from 'tap'
import { runScenarios, type ScenarioReport } from '../../scripts/simulate/run-scenarios.ts'
import type { Scenario } from '../../scripts/simulate/scenario.ts'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { systemClock } from '../../shared/clock.ts'
import { openYesService, type YesService } from '../fakes/yes-service.ts'

async function yesService(t: Test): Promise<YesService> {
  const service = await openYesService([
    'scenario_plain',
    'scenario_realtime',
    'suspended',
    'limited_plain',
  ])
  t.teardown(() => service.close())
  return service
}

function play(
  service: YesService,
  scenarios: readonly Scenario[],
  signal = new AbortController().signal,
): Promise<ScenarioReport[]> {
  return runScenarios({
    surroundings: service.surroundings,
    scenarios,
    clock: systemClock,
    signal,
    onBegin: () => undefined,
    onEnd: () => undefined,
  })
}

function scenario(name: string): Scenario {
  const found = SCENARIOS.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error('no scenario ' + name)
  return found
}

test('a service that approves everything fails the scenarios with sentences', async (t) => {
  const service = await yesService(t)
  const reports = await play(service, [
    scenario('decline_suspended'),
    scenario('refuse_bad_signature'),
    scenario('concurrent_last_unit'),
    scenario('decline_terminated'),
  ])
  t.same(
    reports.filter(({ passed }) => passed),
    [],
  )
  const said = reports.map(({ mismatches }) => mismatches.join('\n'))
  t.match(said[0], /answer: approved: expected false, got true/)
  t.match(said[1], /status: expected 401, got 200/)
  t.match(said[2], /the trace of the probe does not show the limit/)
  t.match(said[3], /the sandbox has no card for terminated/)
})

test('a failing scenario undoes its changes', async (t) => {
  const service = await yesService(t)
  const reports = await play(service, [
    scenario('limit_per_authorization'),
    scenario('limit_daily'),
    scenario('tenant_approve'),
    scenario('tenant_connection_refused'),
  ])
  t.equal(reports.filter(({ passed }) => passed).length, 0)
  t.ok(service.changes >= 8, 'it was changed: ' + service.changes)
  t.same(service.state, service.original)
})

test('an interrupted scenario is undone, and none follows it', async (t) => {
  const service = await yesService(t)
  const interrupted = new AbortController()
  const interrupting: Scenario = {
    name: 'interrupting',
    story: 'Ctrl-C in the middle.',
    async play(stage) {
      const card = stage.card('scenario_plain')
      await stage.tenant()
      stage.afterwards(() => api.resume(card.id))
      const { api } = stage
      await api.suspend(card.id)
      interrupted.abort()
      await stage.send(stage.message(card))
      throw new Error('nothing may be sent after the interruption')
    },
  }
  const reports = await play(service, [interrupting, scenario('approve')], interrupted.signal)
  t.equal(reports.length, 1)
  t.same(reports[0]?.mismatches, ['interrupted'])
  t.same(service.state, service.original)
})
