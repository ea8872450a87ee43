// Every scenario of the card network simulator against the whole service, as `npm start` brings it
// up.
import { execFile } from 'node:child_process'
import { test } from 'tap'
import { SCENARIOS } from '../../scripts/simulate/scenarios/catalog.ts'
import { freePorts } from '../harness/free-ports.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, start } from '../harness/start.ts'

const NAMES = SCENARIOS.map(({ name }) => name)
const SIMULATE = new URL('../../scripts/simulate.ts', import.meta.url).pathname

interface Played {
  code: number
  report: { ok: boolean; scenarios: { name: string; passed: boolean; mismatches: string[] }[] }
}

function playAll(dataDir: string): Promise<Played> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [SIMULATE, '--scenario', 'all', '--json', '--data-dir', dataDir],
      { maxBuffer: 16 * 1024 * 1024 },
      (_error, stdout) => resolve({ code: child.exitCode ?? -1, report: JSON.parse(stdout) }),
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
  const { code, report } = await playAll(dataDir)
  t.same(
    report.scenarios.filter(({ passed }) => !passed),
    [],
  )
  t.same(
    report.scenarios.map(({ name }) => name),
    NAMES,
  )
  t.ok(NAMES.length > 100)
  t.equal(code, 0)
})
