// Exchange rates that operators publish: what a table refuses, what is in force, its history.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { readConfig } from '../../../api/engine-link/config-rows.ts'
import { isoInstant } from '../../../shared/clock.ts'
import { type Installation, openInstallation, runOperator } from '../../harness/installation.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

const DAY_MS = 86_400_000
const NOW = isoInstant(SEEDED_AT_MS)
const EURO = { pair: 'EUR/USD', rate: '1.0850' }
const YEN = { pair: 'USD/JPY', rate: '155.25' }

/** An installation without a rate. */
async function openWithoutRates(): Promise<Installation> {
  const api = await openInstallation()
  await api.sql`delete from fx_rates`
  await api.sql`delete from fx_tables`
  return api
}

let momentMs = SEEDED_AT_MS - DAY_MS

/** A moment after those of earlier calls. */
function later(): string {
  momentMs += 1000
  return isoInstant(momentMs)
}

function publish(api: Installation, rates: readonly object[], more: object = {}) {
  return api.operate('POST', '/fx_tables', { source: 'ECB', rate_at: later(), rates, ...more })
}

test('a published table is in force, and the engine’s config records have its rates', async (t) => {
  const api = await openWithoutRates()
  t.same((await api.operate('GET', '/fx_rates')).body, {
    ...{ object: 'fx_rates', newest_rate_at: null, rates: [] },
  })
  const made = await publish(api, [YEN, EURO], { rate_at: NOW })
  t.equal(made.status, 201, made.text)
  t.match(made.body, {
    ...{ id: /^fxt_[0-9a-z]{26}$/, object: 'fx_table', source: 'ECB', rate_at: NOW },
    rates: [
      { ...YEN, previous_rate: null },
      { ...EURO, previous_rate: null },
    ],
    ...{ large_changes_confirmed: false, published_by: /^op_/ },
  })
  const { id } = made.body
  const inForce = { rate_at: NOW, source: 'ECB', fx_table_id: id, version: Number }
  t.match((await api.operate('GET', '/fx_rates')).body, {
    newest_rate_at: NOW,
    rates: [
      { ...EURO, ...inForce },
      { ...YEN, ...inForce },
    ],
  })
  const [record] = await readConfig(api.sql, 'fx_rate', { ids: ['EUR/USD'] })
  t.match(record, { id: 'EUR/USD', rate: '1.0850', rate_at_ms: SEEDED_AT_MS })
  t.same((await api.operate('GET', '/fx_tables/' + id)).body, made.body)
  t.equal((await api.operate('GET', '/fx_tables/fxt_none')).status, 404)

  const [row] = await api.sql`
    select actor_type, actor_id, resource_id from audit_log
    where action = 'POST /operator/v1/fx_tables' order by seq desc limit 1`
  t.match(row, { actor_type: 'operator', actor_id: made.body.published_by, resource_id: id })
})

test('a table that is wrong in one place is refused whole, by its field', async (t) => {
  const api = await openWithoutRates()
  t.equal((await publish(api, [EURO], { rate_at: NOW })).status, 201)
  const before = (await api.operate('GET', '/fx_rates')).body
  const far = isoInstant(api.clock.nowMs + 60_000)
  const old = isoInstant(api.clock.nowMs - 7 * DAY_MS - 60_000)
  const rateOf = (rate: unknown, pair: unknown = 'USD/JPY') => [EURO, { pair, rate }]
  const many = Array.from({ length: 201 }, () => YEN)
  const cases: [body: object, param: string | null, code?: string][] = [
    [{ rates: rateOf('0') }, '/rates/1/rate'],
    [{ rates: rateOf('0.000') }, '/rates/1/rate'],
    [{ rates: rateOf('-1') }, '/rates/1/rate'],
    [{ rates: rateOf('1e3') }, '/rates/1/rate'],
    [{ rates: rateOf('1,5') }, '/rates/1/rate'],
    [{ rates: rateOf('.5') }, '/rates/1/rate'],
    [{ rates: rateOf('NaN') }, '/rates/1/rate'],
    [{ rates: rateOf(1.5) }, '/rates/1/rate'],
    [{ rates: rateOf('1.0000000000001') }, '/rates/1/rate'],
    [{ rates: rateOf('1234567890123') }, '/rates/1/rate'],
    [{ rates: rateOf('1.5', 'USD/XXX') }, '/rates/1/pair'],
    [{ rates: rateOf('1.5', 'usd/jpy') }, '/rates/1/pair'],
    [{ rates: rateOf('1.5', 'USDJPY') }, '/rates/1/pair'],
    [{ rates: rateOf('1.5', 'USD/USD') }, '/rates/1/pair'],
    [{ rates: rateOf('1.5', 'EUR/USD') }, '/rates/1/pair'],
    [{ rates: [YEN, { pair: 'JPY/USD', rate: '0.0064' }] }, '/rates/1/pair'],
    [{ rates: [YEN, { pair: 'USD/EUR', rate: '0.92' }] }, '/rates/1/pair'],
    [{ rates: [YEN, { pair: 'EUR/USD', rate: '1.2' }] }, '/rates/1/rate'],
    [{ rates: [{ pair: 'EUR/USD', rate: '0.9' }] }, '/rates/0/rate'],
    [{ rates: [{ ...YEN, note: 'x' }] }, '/rates/0/note', 'parameter_unknown'],
    [{ rates: [{ pair: 'USD/JPY' }] }, '/rates/0/rate', 'parameter_missing'],
    [{ rates: [] }, 'rates'],
    [{ rates: many }, 'rates'],
    [{ rates: { 'EUR/USD': '1.1' } }, 'rates'],
    [{ rates: [YEN], rate_at: far }, 'rate_at'],
    [{ rates: [YEN], rate_at: old }, 'rate_at'],
    [{ rates: [YEN], rate_at: 'yesterday' }, 'rate_at'],
    [{ rates: [YEN], rate_at: '2026-02-30T00:00:00Z' }, 'rate_at'],
    [{ rates: [EURO], rate_at: isoInstant(SEEDED_AT_MS - 1) }, '/rates/0/pair'],
    [{ rates: [YEN], source: '' }, 'source'],
    [{ rates: [YEN], source: ' ' }, 'source'],
    [{ rates: [YEN], source: 'x'.repeat(65) }, 'source'],
    [{ rates: [YEN], confirm_large_changes: 'yes' }, 'confirm_large_changes'],
    [{ rates: [YEN], confirmed: true }, 'confirmed', 'parameter_unknown'],
  ]
  for (const [body, param, code = 'parameter_invalid'] of cases) {
    const answer = await api.operate('POST', '/fx_tables', {
      ...{ source: 'ECB', rate_at: NOW },
      ...body,
    })
    t.match(
      { status: answer.status, ...answer.body.error },
      { status: 400, code, param },
      JSON.stringify(body).slice(0, 120),
    )
  }
  t.same((await api.operate('GET', '/fx_rates')).body, before)
  t.equal((await api.operate('GET', '/fx_tables')).body.data.length, 1)
})

test('a rate more than ten percent apart needs a confirmation, which its table keeps', async (t) => {
  const api = await openWithoutRates()
  await publish(api, [{ pair: 'EUR/USD', rate: '1' }, YEN])
  t.equal((await publish(api, [{ pair: 'EUR/USD', rate: '1.1' }])).status, 201, 'ten percent')
  t.equal((await publish(api, [{ pair: 'EUR/USD', rate: '0.99' }])).status, 201, 'downwards too')
  t.equal((await publish(api, [{ pair: 'EUR/USD', rate: '1.08' }])).status, 201)
  const slowly = await publish(api, [{ pair: 'EUR/USD', rate: '1.11' }])
  t.match(slowly.body.error?.message, 'EUR/USD from 1 to 1.11', 'many small changes of a day')
  const far = [{ pair: 'EUR/USD', rate: '1.2101' }, YEN]
  const refused = await publish(api, far)
  t.match(refused.body.error.message, 'EUR/USD from 1.08 to 1.2101')
  t.notMatch(refused.body.error.message, 'JPY')
  t.equal((await publish(api, far, { confirm_large_changes: false })).status, 400)
  const made = await publish(api, far, { confirm_large_changes: true })
  t.equal(made.status, 201, made.text)
  t.match(made.body, { large_changes_confirmed: true, rates: [{ previous_rate: '1.08' }, {}] })
})

test('the history lists each table, also by pair and by source', async (t) => {
  const api = await openWithoutRates()
  const ids: string[] = []
  for (const [rate, source] of [
    ['1.08', 'ECB'],
    ['1.09', 'Bank of X'],
    ['1.10', 'ECB'],
  ] as const)
    ids.unshift((await publish(api, [{ pair: 'EUR/USD', rate }], { source })).body.id)
  await publish(api, [YEN])
  const listed = async (query: string): Promise<unknown[]> =>
    (await api.operate('GET', '/fx_tables' + query)).body.data
  const idsOf = async (query: string) => (await listed(query)).map((row) => Object(row).id)
  t.same(await idsOf('?pair=EUR/USD'), ids)
  t.same(await idsOf('?pair=EUR/USD&source=ECB'), [ids[0], ids[2]])
  t.same(await idsOf('?pair=EUR/USD&limit=1'), [ids[0]])
  t.same(await idsOf('?pair=EUR/USD&starting_after=' + ids[0]), [ids[1], ids[2]])
  t.same(await idsOf('?pair=EUR/GBP'), [])
  t.equal((await listed('')).length, 4)
  t.match(await listed('?pair=EUR/USD&limit=1'), [
    { rates: [{ rate: '1.10', previous_rate: '1.09' }] },
  ])
  t.equal((await api.operate('GET', '/fx_tables?pair=euro')).status, 400)
  const file = await api.operate('GET', '/fx_tables?format=csv')
  t.match(file.text, 'Bank of X')
})

test('a table that is sent again changes no rate, and two at once follow each other', async (t) => {
  const api = await openWithoutRates()
  const key = { 'idempotency-key': 'rates of friday' }
  const body = { source: 'ECB', rate_at: later(), rates: [EURO] }
  const send = () =>
    api.call('POST', '/operator/v1/fx_tables', { key: api.operator, body, headers: key })
  const [first, second] = await Promise.all([send(), send()])
  t.equal(first.body.id, second.body.id, 'one key, one table')
  const versions = async () => (await api.operate('GET', '/fx_rates')).body.rates
  const [before] = await versions()
  await publish(api, [EURO], { rate_at: body.rate_at })
  const [after] = await versions()
  t.equal(after.version, before.version, 'the same rate of the same moment')
  const rates = ['1.086', '1.087', '1.088', '1.089']
  const sent = await Promise.all(rates.map((rate) => publish(api, [{ pair: 'EUR/USD', rate }])))
  const made = sent.filter(({ status }) => status === 201).map(({ body: of }) => of.rates[0])
  const late = sent.filter(({ status }) => status !== 201)
  for (const { body: of } of late) t.match(of.error.message, 'A newer rate')
  const [last] = await versions()
  t.equal(last.rate, '1.089', 'the newest moment is in force')
  t.same(
    [...made.map((of) => of.previous_rate), last.rate].sort(),
    ['1.0850', ...made.map((of) => of.rate)].sort(),
    'each follows another',
  )
})

test('only an operator reads or publishes rates', async (t) => {
  const api = await openWithoutRates()
  const { keys } = api.tenant
  const body = { source: 'ECB', rate_at: NOW, rates: [EURO] }
  for (const key of [keys.read, keys.write, keys.admin, undefined]) {
    const as = key === undefined ? {} : { key }
    for (const [method, path] of [
      ['GET', 'fx_rates'],
      ['GET', 'fx_tables'],
      ['POST', 'fx_tables'],
    ] as const) {
      const answer = await api.call(method, '/operator/v1/' + path, {
        ...as,
        ...(method === 'POST' && { body }),
      })
      t.ok(answer.status === 404 || answer.status === 401, method + ' ' + path)
    }
  }
  t.same((await api.operate('GET', '/fx_rates')).body.rates, [])
})

test('the command publishes a file of rates, and says what is wrong with another', async (t) => {
  const api = await openWithoutRates()
  const settings = { SVC_OPERATOR_KEY: api.operator }
  const directory = t.testdir()
  const run = (...words: string[]) => runOperator(settings, 'rates', ...words, '--api', api.url)
  const fileOf = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  const csv = fileOf(
    'rates.csv',
    '\uFEFFPair;Rate\r\n# of the day\r\n"EUR/USD";1.0850\r\n\r\nUSD,JPY,155.25\n',
  )
  const named = ['--source', 'ECB', '--rate-at', NOW]
  const earlier = ['--source', 'ECB', '--rate-at', later()]
  const made = await run('publish', '--file', csv, ...earlier)
  t.equal(made.code, 0, made.problem)
  t.match(made.out, /EUR\/USD +1\.0850[\s\S]*USD\/JPY +155\.25/)
  t.match((await run('show')).out, /EUR\/USD +1\.0850 +2026-\S+ +ECB/)

  const far = fileOf('far.json', JSON.stringify([{ pair: 'EUR/USD', rate: '1.5' }]))
  const refused = await run('publish', '--file', far, ...named)
  t.equal(refused.code, 1)
  t.match(refused.problem, 'confirm_large_changes')
  const confirmed = ['--confirm-large-changes', 'yes']
  t.equal((await run('publish', '--file', far, ...named, ...confirmed)).code, 0)
  const whole = fileOf('whole.json', JSON.stringify({ source: 'X', rate_at: NOW, rates: [YEN] }))
  t.equal((await run('publish', '--file', whole)).code, 0)
  t.match((await run('tables', '--pair', 'USD/JPY')).out, /fxt_\w+ +X /)
  for (const [text, sentence] of [
    ['EUR/USD,1.08\nUSD/JPY\n', 'line 2 is no rate'],
    ['{"rates":', 'holds no JSON'],
    [' '.repeat(70_000), 'more than 64 KB'],
  ] as const) {
    const bad = await run('publish', '--file', fileOf('bad', text), ...named)
    t.equal(bad.code, 1)
    t.match(bad.problem, sentence)
  }
  t.match((await run('publish', '--file', join(directory, 'none'), ...named)).problem, 'be read')
})
