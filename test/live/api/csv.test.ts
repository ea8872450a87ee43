// Lists as CSV files: every page with the filters and rights of the call, formulas disarmed, limits
// kept, and nothing that the list itself does not show.
import { test } from 'tap'
import { cellOf } from '../../../api/http/csv/table.ts'
import { ROUTES } from '../../../api/routes.ts'
import type { TestApi } from '../../harness/api.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'

const HOLDERS = 230

interface File {
  status: number
  type: string
  text: string
  headers: Headers
}

async function download(api: TestApi, path: string, key: string): Promise<File> {
  const answer = await fetch(api.url + path, { headers: { authorization: 'Bearer ' + key } })
  const { status, headers } = answer
  return { status, headers, type: headers.get('content-type') ?? '', text: await answer.text() }
}

/** Rows of cells, by RFC 4180. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = []
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y
  let row: string[] = []
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)
    if (found === null) throw new Error('no CSV: ' + JSON.stringify(text.slice(0, 200)))
    const [, value = '', end] = found
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** Tests of the file share a database. */
let batches = 0

async function addHolders(api: TestApi, names: readonly string[]): Promise<void> {
  const { tenantId, programId } = api.tenant
  const batch = 'ch_0' + String(++batches).padStart(5, '0')
  for (const [index, name] of names.entries())
    await api.sql`
      insert into cardholders (id, tenant_id, environment, program_id, name, status, identity, created_at)
      values (${batch + String(index).padStart(20, '0')}, ${tenantId}, 'sandbox', ${programId}, ${name}, 'active',
        ${api.sql.json({ status: 'approved', reasons: [], verification_id: null, completed_at: null })}, ${index})`
}

test('a file holds every page of the list in its order, with its filters and columns', async (t) => {
  const api = await startIssuingApi()
  const names = Array.from({ length: HOLDERS }, (_, index) => 'Holder ' + index)
  await addHolders(api, names)
  const { read } = api.tenant.keys
  const file = await download(api, '/v1/cardholders?format=csv&order=asc', read)
  t.equal(file.status, 200)
  t.equal(file.type, 'text/csv; charset=utf-8; header=present')
  t.match(file.headers.get('content-disposition'), 'attachment; filename="cardholders.csv"')
  t.equal(file.headers.get('cache-control'), 'no-store')
  const [head = [], ...rows] = rowsOf(file.text)
  t.equal(head[0], 'id')
  t.ok(head.includes('kyc.status') && !head.includes('kyc'), head.join())
  t.equal(rows.length, HOLDERS + 1, 'the tenant had one cardholder before')
  t.ok(rows.every((row) => row.length === head.length))
  const named = rows.map((row) => row[head.indexOf('name')])
  t.same(named.slice(0, HOLDERS), names)
  const json = await api.call('GET', '/v1/cardholders?order=asc&limit=100', { key: read })
  t.same(
    rows.slice(0, 100).map(([id]) => id),
    json.body.data.map(({ id }: { id: string }) => id),
  )
  const limited = await download(api, '/v1/cardholders?format=csv&order=asc&limit=7', read)
  t.equal(rowsOf(limited.text).length, 8)
  const after = rows[99]?.[0] ?? ''
  const rest = await download(
    api,
    '/v1/cardholders?format=csv&order=asc&starting_after=' + after,
    read,
  )
  t.same(rowsOf(rest.text).slice(1), rows.slice(100), 'the next file begins after an id')
  const none = await download(api, '/v1/cardholders?format=csv&external_id=nobody', read)
  t.same(rowsOf(none.text), [head], 'an empty list has its header')
  const headOnly = await fetch(api.url + '/v1/cardholders?format=csv', {
    method: 'HEAD',
    headers: { authorization: 'Bearer ' + read },
  })
  t.equal(headOnly.status, 200)
})

test('a file is refused like its list: other tenants, keys, filters, cursors', async (t) => {
  const api = await startIssuingApi()
  await addHolders(api, ['Grace'])
  const own = await download(api, '/v1/cardholders?format=csv', api.tenant.keys.read)
  t.match(own.text, 'Grace')
  const strange = await download(api, '/v1/cardholders?format=csv', api.other.keys.read)
  t.notMatch(strange.text, 'Grace')
  t.equal(rowsOf(strange.text).length, 2, 'the other tenant gets its own cardholder')
  const cases: [string, string, number, string][] = [
    ['/v1/cardholders?format=csv', 'sk_nobody', 401, 'invalid_credential'],
    ['/v1/cardholders?format=csv', api.tenant.keys.publishable, 403, 'insufficient_scope'],
    ['/v1/cardholders?format=xml', api.tenant.keys.read, 400, 'format'],
    ['/v1/cardholders?format=csv&limit=101', api.tenant.keys.read, 400, 'limit'],
    [
      '/v1/cardholders?format=csv&starting_after=nonsense',
      api.tenant.keys.read,
      400,
      'invalid_cursor',
    ],
    ['/v1/cardholders?format=csv&ending_before=ch_1', api.tenant.keys.read, 400, 'ending_before'],
    ['/v1/cardholders/x?format=csv', api.tenant.keys.read, 400, 'format'],
  ]
  for (const [path, key, status, said] of cases) {
    const refused = await download(api, path, key)
    t.equal(refused.status, status, path + ' ' + refused.text)
    t.match(refused.type, 'application/json')
    t.match(refused.text, said)
  }
})

test('a formula of a name, and quotes, commas and lines, stay text', async (t) => {
  const api = await startIssuingApi()
  const names = [
    '=HYPERLINK("http://evil.example","x")',
    '+1+1',
    '-2',
    '@SUM(A1)',
    'a "b", c',
    '＝1',
  ]
  await addHolders(api, names)
  const file = await download(api, '/v1/cardholders?format=csv&order=asc', api.tenant.keys.read)
  const [head = [], ...rows] = rowsOf(file.text)
  t.same(
    rows.slice(0, names.length).map((row) => row[head.indexOf('name')]),
    names.map((name) => (name.startsWith('a') ? name : "'" + name)),
  )
  t.same(
    [cellOf(-5), cellOf('-5'), cellOf('\t=1'), cellOf(null), cellOf(true), cellOf(['=1'])],
    ['-5', "'-5", "'\t=1", '', 'true', '"[""=1""]"'],
  )
})

test('each page behind a file takes a call of the limit', async (t) => {
  const api = await startIssuingApi()
  await addHolders(
    api,
    Array.from({ length: HOLDERS }, (_, index) => 'H' + index),
  )
  const { read } = api.tenant.keys
  // No token comes back while the clock stands.
  api.holdMonotonic()
  const left = async (): Promise<number> => {
    const { headers } = await download(api, '/v1/cardholders?limit=1', read)
    return Number(headers.get('x-ratelimit-remaining'))
  }
  const before = await left()
  t.equal(before - (await left()), 1, 'a call takes one token')
  const file = await download(api, '/v1/cardholders?format=csv', read)
  t.equal(rowsOf(file.text).length, 1 + HOLDERS + 1)
  t.equal(before - (await left()), 1 + 3 + 1, 'three pages, and a call before and after them')
})

test('every list of the API answers as a file, also those of operators', async (t) => {
  const api = await startIssuingApi()
  const operator = await seedOperator(api.sql)
  const lists = ROUTES.filter(
    ({ method, paths, query }) =>
      method === 'GET' &&
      !paths[0]?.includes(':') &&
      'format' in (query as { properties: object }).properties,
  )
  // More rows than a page: the credential is looked at again for the second one.
  await api.sql`
    insert into tenants
    select (jsonb_populate_record(t, jsonb_build_object('id', 'ten_' || lpad(number::text, 26, '0')))).*
    from tenants t, generate_series(1, 120) number where t.id = ${api.tenant.tenantId}`
  const refused: string[] = []
  for (const { paths, caller } of lists) {
    const path = paths[0] ?? ''
    const key = caller === 'operator' ? operator : api.tenant.keys.admin
    const { status, type, text } = await download(api, path + '?format=csv', key)
    if (status !== 200) {
      t.match(type, 'application/json', path)
      refused.push(status + ' ' + path)
      continue
    }
    t.match(type, 'text/csv', path)
    const [head = []] = rowsOf(text)
    t.ok(head.length > 1, path + ' ' + head.join())
    if (path === '/operator/v1/tenants') t.ok(rowsOf(text).length > 120, 'two pages')
  }
  t.same(refused, [])
  t.ok(lists.length > 25)
})
