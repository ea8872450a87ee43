// Plays scenarios one after the other against the running service and reports what was not as expected.
import type { Clock } from '../../shared/clock.ts'
import { openApi } from './api.ts'
import { openNetwork } from './network.ts'
import type { Surroundings } from './sandbox.ts'
import type { Scenario } from './scenario.ts'
import { messageOf, Stage, type StageInput } from './stage.ts'
import { openTenant, type Tenant } from './tenant.ts'

const CONNECTIONS = 4
const NS_PER_MS = 1e6

export interface ScenarioReport {
  name: string
  story: string
  passed: boolean
  messages: number
  took_ms: number
  /** One sentence per thing that was not as expected. */
  mismatches: string[]
}

export interface RunScenariosInput {
  surroundings: Surroundings
  scenarios: readonly Scenario[]
  clock: Clock
  /** Interrupts the run: the scenario that plays ends, puts back what it changed, and none follows. */
  signal: AbortSignal
  onBegin(scenario: Scenario, index: number): void
  onEnd(report: ScenarioReport): void
}

export async function runScenarios(input: RunScenariosInput): Promise<ScenarioReport[]> {
  const { surroundings, clock, signal } = input
  const { sandbox } = surroundings
  const network = openNetwork(sandbox, clock, CONNECTIONS)
  const api = openApi(sandbox)
  const tenants: Promise<Tenant>[] = []
  const stageInput: StageInput = {
    surroundings,
    network,
    api,
    clock,
    signal,
    openTenant() {
      const tenant = tenants[0] ?? openTenant({ secret: sandbox.realtime_endpoint.secret, clock })
      tenants[0] = tenant
      return tenant
    },
  }
  const reports: ScenarioReport[] = []
  try {
    for (const [index, scenario] of input.scenarios.entries()) {
      if (signal.aborted) break
      input.onBegin(scenario, index)
      const report = await playScenario(scenario, stageInput)
      reports.push(report)
      input.onEnd(report)
    }
  } finally {
    network.close()
    await api.close()
    for (const tenant of await Promise.all(tenants)) await tenant.close()
  }
  return reports
}

async function playScenario(scenario: Scenario, input: StageInput): Promise<ScenarioReport> {
  const stage = new Stage(input)
  const beganNs = input.clock.monotonicNs()
  try {
    await scenario.play(stage)
  } catch (error) {
    const interrupted = input.signal.aborted
    stage.note(interrupted ? 'interrupted' : 'the story ended early: ' + messageOf(error))
  } finally {
    await stage.end()
  }
  return {
    name: scenario.name,
    story: scenario.story,
    passed: stage.mismatches.length === 0,
    messages: stage.messages,
    took_ms: Math.round((input.clock.monotonicNs() - beganNs) / NS_PER_MS),
    mismatches: [...stage.mismatches],
  }
}
