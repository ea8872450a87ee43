// The runbook of exchange rates on real processes: a foreign authorization without a rate, with a
// published one, and publications that a killed process cuts off.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { isoInstant, systemClock } from '../../shared/clock.ts'
import { authorization } from '../faults/load.ts'
import { type Stack, startStack } from '../faults/stack.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const PATH = '/operator/v1/fx_tables'

/** The answer to a purchase of 100.00 francs with a card in dollars. */
async function buyInFrancs(stack: Stack) {
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  const message = authorization(stack.card('load_plain_1'), 10_000)
  const { answer } = await network.send({ ...message, currency: 'CHF' })
  network.close()
  return answer
}

function publish(stack: Stack, rate: string): Promise<Response> {
  return fetch(stack.apiUrl + PATH, {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + stack.secrets.operator?.key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...{ source: 'SNB', rate_at: isoInstant(systemClock.nowMs()) },
      rates: [{ pair: 'CHF/USD', rate }],
    }),
  })
}

/** The amount in dollars of the newest purchase, with its conversion. */
async function newestAmount(stack: Stack) {
  await stack.drained()
  const [row] = await stack.sql<{ id: string }[]>`
    select id from card_transactions order by seq desc limit 1`
  const shown = await fetch(stack.apiUrl + '/v1/card_transactions/' + row?.id, {
    headers: { authorization: 'Bearer ' + stack.secrets.keys.read },
  })
  return (await shown.json()) as { amounts: object; decision: object }
}

test('a currency without a rate is declined until an operator publishes one', async (t) => {
  const stack = await startStack(t)
  const book = openRunbook('exchange-rates')
  const environment = {
    ...{ SVC_DATA_DIR: stack.directory, DATABASE_URL: stack.postgres.url },
    SVC_API_PORT: new URL(stack.apiUrl).port,
    SVC_OPERATOR_KEY: stack.secrets.operator?.key ?? '',
  }
  const run = async (command: string, values = {}): Promise<string> => {
    const ran = await book.run(command, { values, environment })
    t.equal(ran.code, 0, command + '\n' + ran.output)
    return ran.output
  }
  t.match(await buyInFrancs(stack), { approved: false, decline_reason: 'fx_rate_unavailable' })
  await run('npm run operator -- rates show')
  await run('npm run operator -- operators list')
  const file = join(stack.directory, 'rates.csv')
  writeFileSync(file, 'CHF/USD,1.1200\n')
  await run('npm run operator -- rates publish --file rates.csv --source NAME --rate-at MOMENT', {
    ...{ 'rates.csv': file, NAME: 'SNB', MOMENT: isoInstant(systemClock.nowMs()) },
  })
  t.match(await buyInFrancs(stack), { approved: true }, 'the engine has it when the call answers')
  t.match(await newestAmount(stack), {
    amounts: {
      cardholder: { amount: 11_200, currency: 'USD' },
      fx: { rate: '1.12', source: 'internal', markup_bps: 0 },
    },
    decision: { config: { fx_version: 1 } },
  })
  t.match(await run('npm run operator -- rates tables'), /fxt_\w+ +SNB/)
  t.same(book.left(), [])
})

test('a publication that a kill cuts off is whole or not there', async (t) => {
  const stack = await startStack(t)
  const count = async (): Promise<number> => {
    const [row] = await stack.sql<{ n: number }[]>`
      select count(*)::int as n from fx_tables where source = 'SNB'`
    return row?.n ?? 0
  }
  // The api dies while its transaction waits for the rates.
  const held = await stack.sql.reserve()
  await held`begin`
  await held`lock table fx_rates in share row exclusive mode`
  const cut = publish(stack, '1.12').catch(() => null)
  await until(async () => {
    const [row] = await stack.sql`select 1 from pg_locks where not granted limit 1`
    return row !== undefined
  })
  await stack.apiProcess.kill()
  await held`rollback`
  held.release()
  t.equal(await cut, null, 'nobody answers')
  await stack.apiProcess.start()
  t.equal(await count(), 0)
  t.match(await buyInFrancs(stack), { decline_reason: 'fx_rate_unavailable' })

  // Without an engine the rates are stored, and the answer says that nobody uses them yet.
  await stack.engineProcess.kill()
  const stored = await publish(stack, '1.12')
  t.equal(stored.status, 503)
  t.match(await stored.json(), {
    error: { code: 'dependency_unavailable', resource_id: /^fxt_/ },
  })
  t.equal(await count(), 1)
  await stack.engineProcess.start()
  await until(async () => (await buyInFrancs(stack))?.approved === true)
  t.match(await newestAmount(stack), { amounts: { fx: { rate: '1.12' } } })
})
