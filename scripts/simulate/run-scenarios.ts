// Plays scenarios one after the other against the running service and reports every difference from
// the expectation.
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
  /** Lines that the story shows; absent where it shows none. */
  said?: readonly string[]
}

export interface RunScenariosInput {
  /** The running service. */
  surroundings: Surroundings
  scenarios: readonly Scenario[]
  clock: Clock
  /** Interrupts the run: the present scenario ends and puts its changes back, and none follows. */
  signal: AbortSignal
  onBegin(scenario: Scenario, index: number): void
  onEnd(report: ScenarioReport): void
}

export async function runScenarios(input: RunScenariosInput): Promise<ScenarioReport[]> {
  const service = openService(input)
  const reports: ScenarioReport[] = []
  try {
    for (const [index, scenario] of input.scenarios.entries()) {
      if (input.signal.aborted) break
      input.onBegin(scenario, index)
      const report = await playScenario(scenario, input, service.stageInput)
      reports.push(report)
      input.onEnd(report)
    }
  } finally {
    await service.close()
  }
  return reports
}

interface Service {
  stageInput: StageInput
  close(): Promise<void>
}

function openService({ surroundings, clock, signal }: RunScenariosInput): Service {
  const { sandbox } = surroundings
  const network = openNetwork(sandbox, clock, CONNECTIONS)
  const api = openApi(sandbox)
  const tenants: Promise<Tenant>[] = []
  return {
    stageInput: {
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
    },
    async close() {
      network.close()
      await api.close()
      for (const tenant of await Promise.all(tenants)) await tenant.close()
    },
  }
}

async function playScenario(
  scenario: Scenario,
  { clock, signal }: RunScenariosInput,
  service: StageInput,
): Promise<ScenarioReport> {
  const beganNs = clock.monotonicNs()
  const stage = await playOnStage(scenario, signal, service)
  return {
    name: scenario.name,
    story: scenario.story,
    passed: stage.mismatches.length === 0,
    messages: stage.messages,
    took_ms: Math.round((clock.monotonicNs() - beganNs) / NS_PER_MS),
    mismatches: [...stage.mismatches],
    ...(stage.said.length > 0 && { said: stage.said }),
  }
}

async function playOnStage(
  story: Scenario,
  signal: AbortSignal,
  service: StageInput,
): Promise<Stage> {
  const stage = new Stage(service)
  try {
    await story.play(stage)
  } catch (error) {
    stage.note(endedEarly(error, signal))
  } finally {
    await stage.end()
  }
  return stage
}

function endedEarly(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? 'interrupted' : 'the story ended early: ' + messageOf(error)
}
