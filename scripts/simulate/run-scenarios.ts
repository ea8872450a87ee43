// Plays scenarios one after the other against the running service and reports every difference from
// the expectation.
import type { Clock } from '../../shared/clock.ts'
import { openApi } from './api.ts'
import { Findings } from './findings.ts'
import { openNetwork } from './network.ts'
import type { Surroundings } from './sandbox.ts'
import type { EngineStory, Scenario, ServiceStory } from './scenario.ts'
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
  /** The running service; null where every story brings an engine of its own. */
  surroundings: Surroundings | null
  scenarios: readonly Scenario[]
  clock: Clock
  /** Interrupts the run: the present scenario ends and puts its changes back, and none follows. */
  signal: AbortSignal
  onBegin(scenario: Scenario, index: number): void
  onEnd(report: ScenarioReport): void
}

export async function runScenarios(input: RunScenariosInput): Promise<ScenarioReport[]> {
  const { surroundings } = input
  const service = surroundings === null ? null : openService(input, surroundings)
  const reports: ScenarioReport[] = []
  try {
    for (const [index, scenario] of input.scenarios.entries()) {
      if (input.signal.aborted) break
      input.onBegin(scenario, index)
      const report = await playScenario(scenario, input, service?.stageInput ?? null)
      reports.push(report)
      input.onEnd(report)
    }
  } finally {
    await service?.close()
  }
  return reports
}

interface Service {
  stageInput: StageInput
  close(): Promise<void>
}

function openService(input: RunScenariosInput, surroundings: Surroundings): Service {
  const { clock, signal } = input
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
  service: StageInput | null,
): Promise<ScenarioReport> {
  const beganNs = clock.monotonicNs()
  const { findings, messages } =
    'playAlone' in scenario
      ? { findings: await playAlone(scenario, signal), messages: 0 }
      : await playOnStage(scenario, signal, service)
  return {
    name: scenario.name,
    story: scenario.story,
    passed: findings.mismatches.length === 0,
    messages,
    took_ms: Math.round((clock.monotonicNs() - beganNs) / NS_PER_MS),
    mismatches: [...findings.mismatches],
  }
}

async function playAlone(story: EngineStory, signal: AbortSignal): Promise<Findings> {
  const findings = new Findings()
  try {
    await story.playAlone(findings)
  } catch (error) {
    findings.note(endedEarly(error, signal))
  }
  return findings
}

async function playOnStage(
  story: ServiceStory,
  signal: AbortSignal,
  service: StageInput | null,
): Promise<{ findings: Findings; messages: number }> {
  if (service === null) throw new Error(story.name + ' plays against a running service')
  const stage = new Stage(service)
  try {
    await story.play(stage)
  } catch (error) {
    stage.note(endedEarly(error, signal))
  } finally {
    await stage.end()
  }
  return { findings: stage, messages: stage.messages }
}

function endedEarly(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? 'interrupted' : 'the story ended early: ' + messageOf(error)
}
