// Clearing files of a network compared with drained transactions: matches, differences, and entries
// missing on either side.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { exceptionOf } from '../../../api/issuing/clearing/verdict.ts'
import { callerOf } from '../../../scripts/operator/caller.ts'
import { parseInvocation } from '../../../scripts/operator/options.ts'
import { CLEARED_KINDS, CLEARING_EXCEPTION_KINDS } from '../../../shared/schemas/clearing-file.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'
import { drain } from '../../harness/drained.ts'
import { seedOperator } from '../../harness/operator.ts'
import { Story } from '../../harness/story.ts'

const DAY = '2026-11-20'

interface Network {
  name: string
  /** Key of the operator who uploads the files. */
  key: string
  call(method: string, path: string, body?: object): Promise<Answer>
  open(fileId: string, date?: string): Promise<string>
}

let networks = 0

/** A separate network for each test, because a day belongs to a network. */
async function network(api: TestApi): Promise<Network> {
  const name = 'net' + ++networks
  const key = await seedOperator(api.sql)
  await api.sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values (${'nkey_' + name}, ${name}, 'sandbox', 'sealed', 0)`
  const call = (method: string, path: string, body?: object) =>
    api.call(method, '/operator/v1/clearing_files' + path, { key, ...(body ? { body } : {}) })
  const open = async (fileId: string, date = DAY): Promise<string> => {
    const file = { environment: 'sandbox', network: name, file_id: fileId, business_date: date }
    return (await call('POST', '', file)).body.id
  }
  return { name, key, call, open }
}

/** A purchase and its capture, in yen if the merchant asked for yen. */
async function captured(
  api: TestApi,
  { name }: Network,
  { cents = 1000, currency = 'USD', at = 2 } = {},
): Promise<{ id: string; message_id: string; sequence: number }> {
  const story = new Story(api.tenant)
  const message = { network: name, currency, amountCents: cents }
  const authorized = {
    event: 'authorized',
    amountCents: cents,
    sums: { authorized: cents },
  } as const
  const step = { event: 'captured', amountCents: cents, sums: { captured: cents } } as const
  story.sequence = at - 2
  const entries = [
    story.message('authorization', { ...authorized, message }),
    story.message('capture', { ...step, message }),
  ]
  await drain(api.sql, ...entries)
  return { id: story.id, message_id: entries[1]?.message.id ?? '', sequence: at }
}

function entry(messageId: string, cents = 1000, currency = 'USD', kind = 'capture') {
  return { message_id: messageId, kind, amount_cents: cents, currency }
}

const NONE = Object.fromEntries(CLEARING_EXCEPTION_KINDS.map((kind) => [kind, 0]))

test('a file is compared entry by entry, and closing it reports the missing entries', async (t) => {
  const api = await startTestApi()
  const net = await network(api)
  const fine = await captured(api, net)
  const amount = await captured(api, net)
  const currency = await captured(api, net, { cents: 900, currency: 'JPY' })
  const missing = await captured(api, net, { cents: 700 })
  const before = await api.call('GET', '/v1/card_transactions/' + amount.id, {
    key: api.tenant.keys.read,
  })
  const id = await net.open('f-1')
  const entries = [
    entry(fine.message_id),
    entry(amount.message_id, 1001),
    entry(currency.message_id, 900, 'USD'),
    entry('msg-nobody', 5),
    entry(fine.message_id),
    entry(fine.message_id, 1000, 'USD', 'refund'),
  ]
  const part = await net.call('POST', '/' + id + '/parts', { part: 1, entries })
  t.equal(part.status, 200)
  const counts = { amount_mismatch: 1, currency_mismatch: 1, missing_here: 2, named_twice: 1 }
  t.match(part.body, { status: 'open', entries: 6, matched: 1, exceptions: { ...NONE, ...counts } })

  const short = await net.call('POST', '/' + id + '/close', { entries: 7 })
  t.equal(short.status, 409)
  t.match(short.body.error, { code: 'clearing_file_incomplete', entries_given: 6 })
  const closed = await net.call('POST', '/' + id + '/close', { entries: 6 })
  t.match(closed.body, {
    object: 'clearing_file',
    livemode: false,
    network: net.name,
    file_id: 'f-1',
    business_date: DAY,
    status: 'closed',
    entries: 6,
    matched: 1,
    exceptions: { ...NONE, ...counts, missing_in_file: 1 },
  })
  t.same((await net.call('GET', '/' + id)).body, closed.body)

  const { data } = (await net.call('GET', '/' + id + '/exceptions?order=asc')).body
  const { tenantId } = api.tenant
  t.match(data, [
    {
      kind: 'amount_mismatch',
      in_file: { amount_cents: 1001, currency: 'USD' },
      recorded: { amount_cents: 1000, currency: 'USD' },
      tenant_id: tenantId,
      transaction_id: amount.id,
      sequence: 2,
    },
    {
      kind: 'currency_mismatch',
      in_file: { amount_cents: 900, currency: 'USD' },
      recorded: { amount_cents: 900, currency: 'JPY' },
      transaction_id: currency.id,
    },
    { kind: 'missing_here', message_id: 'msg-nobody', recorded: null, transaction_id: null },
    { kind: 'named_twice', message_id: fine.message_id, transaction_id: fine.id },
    { kind: 'missing_here', message_id: fine.message_id, message_kind: 'refund' },
    {
      kind: 'missing_in_file',
      message_id: missing.message_id,
      in_file: null,
      recorded: { amount_cents: 700, currency: 'USD' },
      transaction_id: missing.id,
    },
  ])
  const only = '/exceptions?kind=missing_in_file&message_id=' + missing.message_id
  t.equal((await net.call('GET', '/' + id + only)).body.data.length, 1)

  const key = api.tenant.keys.read
  const mine = await api.call('GET', '/v1/clearing_exceptions?transaction_id=' + amount.id, { key })
  t.same(mine.body.data, [data[0]])
  t.equal((await api.call('GET', '/v1/clearing_exceptions', { key })).body.data.length, 4)
  const others = await api.call('GET', '/v1/clearing_exceptions', { key: api.other.keys.read })
  t.same(others.body.data, [])
  const after = await api.call('GET', '/v1/card_transactions/' + amount.id, { key })
  t.match(after.body.clearing_exceptions, [
    { clearing_file_id: id, kind: 'amount_mismatch', sequence: 2 },
  ])
  t.same({ ...after.body, clearing_exceptions: [] }, before.body, 'and nothing else changed')
})

test('the same file again gives the same result, and other content under its name is refused', async (t) => {
  const api = await startTestApi()
  const net = await network(api)
  const one = await captured(api, net)
  const two = await captured(api, net)
  const id = await net.open('f-2')
  t.equal(await net.open('f-2'), id)
  const file = { environment: 'sandbox', network: net.name, file_id: 'f-2' }
  const other = await net.call('POST', '', { ...file, business_date: '2026-11-19' })
  t.match(other.body.error, { code: 'clearing_file_differs', param: 'business_date' })
  const second = { part: 2, entries: [entry(two.message_id, 1)] }
  const first = { part: 1, entries: [entry(one.message_id)] }
  const parts = '/' + id + '/parts'
  await Promise.all([second, first, first, second].map((part) => net.call('POST', parts, part)))
  const given = (await net.call('GET', '/' + id)).body
  t.match(given, { entries: 2, matched: 1, exceptions: { ...NONE, amount_mismatch: 1 } })
  const differs = await net.call('POST', parts, { ...second, entries: first.entries })
  t.match(differs.body.error, { code: 'clearing_file_differs', param: 'entries' })
  const closed = (await net.call('POST', '/' + id + '/close', { entries: 2 })).body
  t.same((await net.call('POST', '/' + id + '/close', { entries: 2 })).body, closed)
  t.same((await net.call('POST', parts, second)).body, closed)
  const late = await net.call('POST', parts, { part: 3, entries: first.entries })
  t.match(late.body.error, { code: 'invalid_state', current_status: 'closed' })
  const next = await net.open('f-3')
  const again = await net.call('POST', '/' + next + '/parts', first)
  t.match(again.body, { matched: 0, exceptions: { named_twice: 1 } }, 'settled in an earlier file')
  const list = await net.call('GET', '?order=asc&network=' + net.name + '&business_date=' + DAY)
  t.same(
    list.body.data.map((one: Answer['body']) => [one.id, one.status]),
    [
      [id, 'closed'],
      [next, 'open'],
    ],
  )
})

test('a clearing day is a day in UTC, and its network is one that sends messages', async (t) => {
  const api = await startTestApi()
  const net = await network(api)
  await captured(api, net)
  const tomorrow = await net.open('f-4', '2026-11-21')
  const close = (await net.call('POST', '/' + tomorrow + '/close', { entries: 0 })).body
  t.equal(close.exceptions.missing_in_file, 0)
  const today = await net.open('f-5')
  const closed = (await net.call('POST', '/' + today + '/close', { entries: 0 })).body
  t.equal(closed.exceptions.missing_in_file, 1)
  const refusal = async (change: object) => {
    const file = { environment: 'sandbox', network: net.name, file_id: 'x', business_date: DAY }
    const { status, body } = await net.call('POST', '', { ...file, ...change })
    return [status, body.error.code, body.error.param]
  }
  t.same(await refusal({ network: 'nobody' }), [400, 'parameter_invalid', 'network'])
  t.same(await refusal({ environment: 'live' }), [400, 'parameter_invalid', 'network'])
  t.same(await refusal({ business_date: '2026-02-30' }), [
    400,
    'parameter_invalid',
    'business_date',
  ])
  const key = api.tenant.keys.admin
  const tenant = await api.call('GET', '/operator/v1/clearing_files', { key })
  t.equal(tenant.status, 404)
})

test('the command line uploads a file of any size in parts, and again with the same result', async (t) => {
  const api = await startTestApi()
  const net = await network(api)
  const one = await captured(api, net)
  const path = join(t.testdir(), 'clearing.jsonl')
  const unknown = Array.from({ length: 1000 }, (_, index) => entry('msg-unknown-' + index))
  const lines = [entry(one.message_id), ...unknown].map((said) => JSON.stringify(said))
  writeFileSync(path, lines.join('\r\n') + '\n\n')
  const give = (file: string, id = 'f-6') => {
    const named = ['--environment', 'sandbox', '--network', net.name, '--file-id', id]
    const argv = ['clearing-files', 'give', '--file', file, '--business-date', DAY, ...named]
    const invocation = parseInvocation(argv)
    if (!invocation.ok || invocation.value.kind !== 'command') throw new Error('no command')
    const { command, given } = invocation.value
    return command.run(callerOf({ apiUrl: api.url, key: net.key }), '', given)
  }
  const given = await give(path)
  const missing = { ...NONE, missing_here: 1000 }
  t.match(given, { status: 'closed', entries: 1001, matched: 1, exceptions: missing })
  t.same(await give(path), given)
  const wrong = join(t.testdir(), 'wrong.jsonl')
  writeFileSync(wrong, '{"message_id":"m"}\n')
  await t.rejects(give(wrong, 'f-7'), { message: /wrong\.jsonl, line 1 is no entry/ })
  await t.rejects(give(join(t.testdir(), 'none.jsonl'), 'f-8'), { code: 'ENOENT' })
  const files = await api.call('GET', '/operator/v1/clearing_files', { key: net.key })
  const names = files.body.data.map((file: { file_id: string }) => file.file_id)
  t.ok(names.includes('f-6') && !names.includes('f-7') && !names.includes('f-8'), 'nor opened')
})

test('an amount in another currency is not compared', (t) => {
  const said = { amountCents: 5, currency: 'USD' }
  const told = (cents: number, currency: string) =>
    exceptionOf({ message_id: 'm', kind: CLEARED_KINDS[0], amount_cents: cents, currency }, said)
  t.equal(told(5, 'USD'), null)
  t.equal(told(6, 'USD'), 'amount_mismatch')
  t.equal(told(5, 'JPY'), 'currency_mismatch')
  t.end()
})
