// The input of the control socket: every field of a record within its bounds, or no change at all.
// The rows made of a record are tested here as well.

import { isDeepStrictEqual } from 'node:util'
import { pack } from 'msgpackr'
import { test } from 'tap'
import {
  configChangeOf,
  configOf,
  configRow,
  isConfigType,
} from '../../engine/config-cache/record.ts'
import { decodeStored, encodeStored, type Stored } from '../../engine/config-cache/stored.ts'
import { type ConfigRecord, OPEN_CONTROL, openControl } from '../../shared/wire/config-records.ts'
import { controlsConfig, endpointConfig, judgedConfig, limitConfig } from '../harness/judged.ts'

const { program, cardholder, card } = judgedConfig()
const RULE = { mode: 'allow', values: ['one', 'two'] }
const FILTER = { mccs: ['5411'], countries: ['DE'], kinds: ['refund'], card_present: true }
const CONTROL = {
  ...openControl('ctl_1'),
  mccs: RULE,
  merchants: { ...RULE, mode: 'block' },
  schedule: [{ days: [1, 7], from_minute: 0, until_minute: 1440, time_zone: 'UTC' }],
  limits: [
    limitConfig({ filter: FILTER }),
    limitConfig({ id: 'lim_2', amount_cents: null, count: 3, filter: null }),
  ],
  authentication: 'required',
  single_use: { mode: 'max', amount_cents: 500 },
  cancel_after: 0,
}
const POLICY = {
  version: 1,
  action: 'controls',
  max_per_authorization_cents: 1,
  max_per_card_per_day_cents: null,
  max_per_hour_cents: 0,
  excluded_kinds: ['quasi_cash'],
}

/** A record of every type, with every possible field. */
const RECORDS = [
  { type: 'root', id: 'root', version: 1, sealed: 's' },
  {
    type: 'network_key',
    id: 'nk_1',
    version: 1,
    network: 'simnet',
    environment: 'live',
    sealed_secret: 's',
  },
  {
    ...program,
    stand_in_policy: POLICY,
    fraud_rules: [
      { name: 'card_testing', state: 'draft', count: 3, seconds: 60, amount_cents: null },
    ],
    hold_expiry: [{ mccs: null, card_present: false, initiator: null, hours: 24 }],
    hold_adjustments: [{ mccs: ['5812'], mode: 'add_percent', value: 20, max_cents: null }],
  },
  cardholder,
  card,
  { ...controlsConfig({ id: card.id }), controls: [CONTROL, openControl('ctl_2')] },
  endpointConfig({ sealed_secrets: ['a', 'b'] }),
  { type: 'fx_rate', id: 'EUR/USD', version: 1, rate: '1.1', rate_at_ms: 0 },
  {
    type: 'authentication',
    id: 'card_1:3ds-1',
    version: 1,
    card_id: 'card_1',
    result: 'attempted',
    expires_at_ms: 1,
  },
  {
    type: 'wallet_token',
    id: 'wt_1',
    version: 1,
    card_id: 'card_1',
    provider: 'apple_pay',
    status: 'active',
  },
] as unknown as readonly ConfigRecord[]

const FOREIGN = [undefined, -1, 1.5, {}, ['', 1]]
/** Fields with a fixed set of words. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'type environment status stand_in action name state mode initiator card_type loss scope interval ' +
    'authentication fallback result'
  ).split(' '),
)

type Fields = { [field: string]: unknown }

/** A record with one field, at any depth, removed or made invalid. */
function* broken(record: Fields, path = ''): Generator<[string, Fields]> {
  for (const [field, value] of Object.entries(record)) {
    const here = path + '.' + field
    const { [field]: _, ...without } = record
    yield [here + ' gone', without]
    for (const foreign of WORDS.has(field) ? [...FOREIGN, 'no such word'] : FOREIGN)
      yield [here + ' ' + JSON.stringify(foreign), { ...record, [field]: foreign }]
    for (const [inner, part] of partsOf(value, here)) yield [inner, { ...record, [field]: part }]
  }
}

function* partsOf(value: unknown, path: string): Generator<[string, unknown]> {
  if (Array.isArray(value))
    for (const [at, one] of value.entries())
      for (const [inner, part] of partsOf(one, path + '[' + at + ']'))
        yield [inner, value.with(at, part)]
  else if (typeof value === 'object' && value !== null) yield* broken(value as Fields, path)
}

test('a record of every type is accepted, without its unknown fields', (t) => {
  for (const record of RECORDS) {
    t.same(configChangeOf(record), record)
    t.same(configChangeOf({ ...record, another: 1 }), record)
    t.same(configChangeOf({ ...record, removed: false }), record)
  }
  t.end()
})

/** Fields that an earlier release did not write, with the value that they then have. */
const EARLIER = new Map<string, object>([
  ['program.shard gone', { shard: null }],
  ['program.authorizations_closed gone', { authorizations_closed: false }],
  ...[CONTROL, openControl('ctl_2')].flatMap((control, at, all) =>
    Object.entries(OPEN_CONTROL).map(([term, open]): [string, object] => [
      'controls.controls[' + at + '].' + term + ' gone',
      { controls: all.with(at, { ...control, [term]: open } as typeof control) },
    ]),
  ),
])

test('a record with one missing or invalid field is refused as a whole', (t) => {
  let count = 0
  for (const record of RECORDS)
    for (const [what, other] of broken({ ...record })) {
      count += 1
      const taken = configChangeOf(other)
      const added = EARLIER.get(record.type + what)
      if (added !== undefined) t.same(taken, { ...record, ...added })
      else if (taken !== null) t.fail(record.type + what)
    }
  t.ok(count > 500, String(count))
  t.end()
})

test('a field that may be null is accepted as null', (t) => {
  for (const field of ['mccs', 'schedule', 'limits', 'single_use', 'cancel_after', 'fallback']) {
    const control = { ...CONTROL, [field]: null }
    const change = configChangeOf({ ...controlsConfig({ id: card.id }), controls: [control] })
    t.equal(change !== null, !['schedule', 'limits'].includes(field), field)
  }
  for (const field of ['endpoint_id', 'stand_in_policy', 'fraud_rules'])
    t.equal(configChangeOf({ ...program, [field]: null }) !== null, field !== 'fraud_rules', field)
  t.end()
})

test('an id has 1 to 256 characters, and a version begins at 0', (t) => {
  for (const change of [cardholder, { type: 'cardholder', id: 'ch_1', version: 1, removed: true }])
    for (const [taken, other] of [
      [true, { id: 'i' }],
      [true, { id: 'i'.repeat(256) }],
      [false, { id: '' }],
      [false, { id: 'i'.repeat(257) }],
      [false, { id: 1 }],
      [true, { version: 0 }],
      [true, { version: Number.MAX_SAFE_INTEGER }],
      [false, { version: -1 }],
      [false, { version: Number.MAX_SAFE_INTEGER + 1 }],
      [false, { version: '1' }],
    ] as const)
      t.same(configChangeOf({ ...change, ...other }), taken ? { ...change, ...other } : null)
  t.end()
})

test('a removal names the removed record only', (t) => {
  const removal = { type: 'card', id: 'card_1', version: 2, removed: true }
  t.same(configChangeOf({ ...card, version: 2, removed: true }), removal)
  t.equal(configChangeOf({ ...removal, removed: 'true' }), null)
  t.equal(configChangeOf({ type: 'card', removed: true }), null)
  t.end()
})

test('a value that is no record gives no change', (t) => {
  for (const other of [null, undefined, 'card', 1, [], [card], {}, { ...card, type: ['card'] }])
    t.equal(configChangeOf(other), null)
  for (const name of ['cards', 'toString', 'subject', '', 1, null])
    t.equal(isConfigType(name), false, String(name))
  t.end()
})

test('a term that an earlier release did not store restricts nothing', (t) => {
  const locked = { ...openControl('ctl_1'), merchant_lock: true }
  const rowOf = (control: typeof locked) =>
    configRow({ ...controlsConfig({ id: card.id }), controls: [control] })
  const termsOf = (row: readonly unknown[]) => (row[4] as unknown[][])[0] ?? []
  const row = rowOf({ ...locked, cancel_after: 3 })
  const open = termsOf(rowOf(locked))
  const stored = termsOf(row).findIndex((value, at) => !isDeepStrictEqual(value, open[at]))
  t.ok(stored > 0)
  const shorter = [...row.slice(0, 4), [termsOf(row).slice(0, stored)]]
  const { controls: held } = configOf('controls', shorter) as never
  t.same(held, [locked])
  t.end()
})

test('a row gives its record back, and begins with its type', (t) => {
  for (const record of RECORDS) {
    const row = configRow(record)
    t.equal(row[0], record.type)
    t.same(configOf(record.type, row), record)
  }
  t.end()
})

test('the bytes of a row give it back, whatever it contains', (t) => {
  const gone = { type: 'removed', version: 3 } as const
  const controls = controlsConfig({ id: card.id, limits: [limitConfig({ filter: null })] })
  const rows: readonly Stored[] = [
    ...RECORDS,
    gone,
    { type: 'subject', own: card, controls },
    { type: 'subject', own: program, controls: null },
    { type: 'subject', own: null, controls },
    { type: 'subject', own: gone, controls: gone },
    { type: 'pointer', cardId: card.id },
    { type: 'pointer', cardId: null },
    { type: 'meta', format: 1, cursor: '5:7:5', databaseId: 'database-a' },
  ]
  for (const row of rows) t.strictSame(decodeStored(encodeStored(row)), row)
  t.end()
})

test('bytes that no engine wrote are no row', (t) => {
  for (const row of [['else', 1], [], [null], ['subject', ['else'], null]])
    t.throws(() => decodeStored(pack(row)))
  t.end()
})
