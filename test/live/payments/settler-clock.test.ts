// A settler whose system clock is wrong: it closes no batch by it, and goes on once it is right.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { sleep } from '../../../shared/clock.ts'
import { COMPILED } from '../../harness/compiled.ts'
import { freePort } from '../../harness/free-ports.ts'
import { pay, startSettlement } from '../../harness/settlement.ts'
import { settlerOf } from '../../harness/settler-process.ts'
import { newDataDir } from '../../harness/start.ts'
import { happens, until } from '../../harness/until.ts'

const DAY_MS = 86_400_000
/** Longer than several rounds. */
const ROUNDS_MS = 1500
const MOVED = new URL('../../harness/moved-clock.cjs', import.meta.url).pathname

test('a settler whose clock is 40 days ahead begins no round until it is right', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  await pay(at, { payer, payee, cents: 10 })
  const clockFile = join(newDataDir(t), 'offset')
  writeFileSync(clockFile, String(40 * DAY_MS))
  const metricsPort = await freePort()
  const environment = {
    NODE_OPTIONS: COMPILED.NODE_OPTIONS + ' --require=' + MOVED,
    TEST_CLOCK_FILE: clockFile,
  }
  const settler = settlerOf(t, at, at.url, { metricsPort, environment }).start()
  t.teardown(() => settler.kill('SIGKILL'))
  const ready = () =>
    fetch('http://127.0.0.1:' + metricsPort + '/health/ready').then(
      (answer) => answer.text(),
      () => '',
    )
  await until(async () => /not confirmed: .*the database says/.test(await ready()))
  await sleep(ROUNDS_MS)
  const closed = () => at.sql`select from settlement_batches`
  t.same(await closed(), [], 'no batch was closed')
  writeFileSync(clockFile, '0')
  settler.kill('SIGUSR2')
  const landed = async (): Promise<boolean> => {
    await at.mine(1)
    const [row] = await at.sql<{ open: number }[]>`
      select count(*) as open from payment_captures where status <> 'landed'`
    return row?.open === 0
  }
  t.ok(await happens(landed))
  t.match(await ready(), '"ready":true')
  settler.kill('SIGTERM')
  await settler.gone
})
