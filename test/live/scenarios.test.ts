// Every scenario of the card network simulator against the whole service, as `npm start` brings it
// up. Stories of cards, of the chain and of billing share no row, and play beside each other: those
// of the chain wait for its blocks.
import { execFile } from 'node:child_process'
import { test } from 'tap'
import type { ScenarioReport } from '../../scripts/simulate/run-scenarios.ts'
import { BILLING } from '../../scripts/simulate/scenarios/billing.ts'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { JOURNAL } from '../../scripts/simulate/scenarios/journal.ts'
import { OWN_WITHDRAWALS } from '../../scripts/simulate/scenarios/own-withdrawal.ts'
import { PAYMENTS } from '../../scripts/simulate/scenarios/payments.ts'
import { PAYMENTS_ON_CHAIN } from '../../scripts/simulate/scenarios/payments-on-chain.ts'
import { freePorts } from '../harness/free-ports.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { furnished, newDataDir, start } from '../harness/start.ts'

const NAMES = SCENARIOS.map(({ name }) => name)
const SIMULATE = new URL('../../scripts/simulate.ts', import.meta.url).pathname

const namesOf = (stories: readonly { name: string }[]) => stories.map(({ name }) => name)
const ON_CHAIN = namesOf([...PAYMENTS, ...PAYMENTS_ON_CHAIN, ...OWN_WITHDRAWALS])
const BILLED = namesOf(BILLING)
/** They read the whole journal and kill the engine. */
const ALONE = namesOf(JOURNAL)
const apart = new Set([...ON_CHAIN, ...BILLED, ...ALONE])
const ON_CARDS = NAMES.filter((name) => !apart.has(name))

interface Played {
  code: number
  scenarios: readonly Pick<ScenarioReport, 'name' | 'passed' | 'mismatches'>[]
}

function play(dataDir: string, names: readonly string[]): Promise<Played> {
  const chosen = names.flatMap((name) => ['--scenario', name])
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [SIMULATE, ...chosen, '--json', '--data-dir', dataDir],
      { maxBuffer: 16 * 1024 * 1024 },
      (_error, stdout, problem) => {
        if (stdout === '') return reject(new Error(problem))
        const { scenarios } = JSON.parse(stdout)
        resolve({ code: child.exitCode ?? -1, scenarios })
      },
    )
  })
}

test('every scenario of the simulator comes true on the running service', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  const [api, engine] = await freePorts(2)
  const ports = { SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) }
  const service = start(dataDir, ports, ['--no-burst'])
  t.teardown(async () => {
    service.child.kill('SIGTERM')
    await service.exited
  })
  await service.sandbox()
  await furnished(service)
  const besides = [ON_CARDS, ON_CHAIN, BILLED].map((names) => play(dataDir, names))
  const played = [...(await Promise.all(besides)), await play(dataDir, ALONE)]
  const scenarios = played.flatMap(({ scenarios }) => scenarios)
  t.same(
    scenarios.flatMap(({ name, mismatches }) => mismatches.map((text) => name + ': ' + text)),
    [],
  )
  t.same(namesOf(scenarios).toSorted(), NAMES.toSorted())
  t.ok(NAMES.length > 100)
  t.same(
    played.map(({ code }) => code),
    [0, 0, 0, 0],
  )
})
