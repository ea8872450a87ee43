// The config cache: versions, tombstones, indexes, the swap of a full copy, and a deleted or broken
// cache.
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { configChangeOf } from '../../engine/config-cache/record.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import {
  type CardConfig,
  type ConfigChange,
  type ControlsConfig,
  type NetworkKeyConfig,
  openControl,
} from '../../shared/wire/config-records.ts'
import type { ConfigPush } from '../../shared/wire/control.ts'
import { limitConfig } from '../harness/judged.ts'

const log = createLog({ name: 'test', level: 'silent' })
const DATABASE = 'database-a'

function open(directory: string) {
  return openConfigCache({
    directory,
    clock: systemClock,
    log,
    onFailed(reason) {
      throw new Error(reason)
    },
  })
}

function card(id: string, version: number, more: Partial<CardConfig> = {}): CardConfig {
  return {
    type: 'card',
    id,
    version,
    tenant_id: 'tenant_1',
    environment: 'sandbox',
    program_id: 'prog_1',
    cardholder_id: 'ch_1',
    token: 'token-' + id,
    fingerprint: 'fingerprint-' + id,
    last4: '4242',
    card_type: 'virtual',
    status: 'active',
    exp_month: 12,
    exp_year: 2030,
    cvc_verifier: 'verifier',
    currency: 'EUR',
    pin_verifier: null,
    windows_id: id,
    suspended_by: null,
    loss: null,
    funded_cents: null,
    ...more,
  }
}

const controls = configChangeOf({
  type: 'controls',
  id: 'card_a',
  version: 1,
  scope: 'card',
  controls: [
    {
      ...openControl('ctl_a'),
      mccs: { mode: 'block', values: ['7995'] },
      countries: { mode: 'allow', values: ['DE', 'FR'] },
      limits: [limitConfig({ currency: 'EUR', time_zone: 'Europe/Berlin' })],
    },
  ],
}) as ControlsConfig

const networkKey: NetworkKeyConfig = {
  type: 'network_key',
  id: 'nk_1',
  version: 1,
  network: 'visa',
  environment: 'sandbox',
  sealed_secret: 'sealed',
}

function step(
  name: ConfigPush['step'],
  base: string,
  changes: readonly ConfigChange[],
  cursor: string | null,
): ConfigPush {
  return { database_id: DATABASE, step: name, base, changes, cursor }
}

async function filled(directory: string, rows: readonly ConfigChange[], cursor = '100:100:') {
  const configCache = open(directory)
  for (const push of [
    step('begin', 'first', [], null),
    step('part', 'first', rows, null),
    step('commit', 'first', [], cursor),
  ]) {
    const done = await configCache.apply(push)
    if (!done.ok) throw new Error(done.error)
  }
  return configCache
}

test('the config cache is incomplete until a whole copy is committed', async (t) => {
  const configCache = open(t.testdir())
  t.equal(configCache.cursor, null)
  t.equal(configCache.cardByToken('token-a'), null)
  t.match(await configCache.apply(step('change', '1:1:', [card('a', 1)], '2:2:')), {
    ok: false,
    error: /in full/,
  })
  await configCache.apply(step('begin', 'one', [], null))
  await configCache.apply(step('part', 'one', [card('a', 1)], null))
  t.equal(configCache.cardByToken('token-a'), null, 'parts are invisible')
  t.match(await configCache.apply(step('part', 'two', [], null)), {
    ok: false,
    error: /begin it again/,
  })
  t.match(await configCache.apply(step('commit', 'one', [], '5:7:5')), { ok: true })
  t.match(configCache.cardByToken('token-a'), { id: 'a' })
  t.match(configCache.cardByFingerprint('sandbox', 'fingerprint-a'), { id: 'a' })
  t.equal(configCache.cardByFingerprint('live', 'fingerprint-a'), null)
  t.same(
    [
      configCache.covers(4n),
      configCache.covers(5n),
      configCache.covers(6n),
      configCache.covers(7n),
    ],
    [true, false, true, false],
  )
  await configCache.close()
})

test('an older version never replaces a newer one, also after a removal', async (t) => {
  const configCache = await filled(t.testdir(), [card('a', 5, { status: 'suspended' })])
  await configCache.apply(step('change', '100:100:', [card('a', 4)], '101:101:'))
  t.equal(configCache.card('a')?.status, 'suspended')
  t.equal(configCache.cursor, '101:101:')
  const removal: ConfigChange = { type: 'card', id: 'a', version: 6, removed: true }
  await configCache.apply(step('change', '101:101:', [removal], '102:102:'))
  t.equal(configCache.card('a'), null)
  t.equal(configCache.cardByToken('token-a'), null)
  await configCache.apply(step('change', '102:102:', [card('a', 5)], '103:103:'))
  t.equal(configCache.card('a'), null, 'the tombstone keeps version 5 out')
  await configCache.apply(step('change', '103:103:', [card('a', 7)], '104:104:'))
  t.match(configCache.cardByToken('token-a'), { version: 7 })
  t.match(await configCache.apply(step('change', '103:103:', [], '105:105:')), { ok: false })
  await configCache.close()
})

test('every reader that caches a record learns of each change at once', async (t) => {
  const configCache = await filled(t.testdir(), [card('a', 1)])
  const before = configCache.changes
  t.match(configCache.cardByToken('token-a'), { version: 1 })
  t.equal(configCache.changes, before, 'reading changes nothing')
  const applied = configCache.apply(step('change', '100:100:', [card('a', 2)], '101:101:'))
  let told = before
  for (let turn = 0; turn < 50 && configCache.cardByToken('token-a')?.version === 1; turn++) {
    t.equal(configCache.changes, before)
    await Promise.resolve()
  }
  t.match(configCache.cardByToken('token-a'), { version: 2 })
  t.not(configCache.changes, told, 'as soon as it is seen')
  await applied
  told = configCache.changes
  await configCache.apply(step('change', '101:101:', [], '102:102:'))
  t.equal(configCache.changes, told, 'nothing was changed')
  await configCache.apply(step('begin', 'one', [], null))
  await configCache.apply(step('part', 'one', [card('b', 1)], null))
  t.equal(configCache.changes, told, 'parts are invisible')
  await configCache.apply(step('commit', 'one', [], '103:103:'))
  t.not(configCache.changes, told)
  await configCache.close()
})

test('a token leads to the card that has it now, in any order within the batch', async (t) => {
  const swaps = [
    [card('a', 2, { token: 'token-b' }), card('b', 2, { token: 'token-a' })],
    [card('b', 2, { token: 'token-a' }), card('a', 2, { token: 'token-b' })],
  ]
  for (const swap of swaps) {
    const configCache = await filled(t.testdir(), [card('a', 1), card('b', 1)])
    await configCache.apply(step('change', '100:100:', swap, '101:101:'))
    const owners = [configCache.cardByToken('token-a')?.id, configCache.cardByToken('token-b')?.id]
    t.same(owners, ['b', 'a'])
    await configCache.apply(
      step('change', '101:101:', [card('a', 3, { token: 'new' })], '102:102:'),
    )
    t.equal(configCache.cardByToken('token-b'), null)
    t.equal(configCache.cardByToken('new')?.id, 'a')
    await configCache.close()
  }
})

test('every record is there after a reopen, and old generations are gone', async (t) => {
  const directory = t.testdir()
  const configCache = await filled(directory, [card('card_a', 1), controls, networkKey])
  await configCache.apply(step('change', '100:100:', [card('card_a', 2)], '101:101:'))
  const root = { type: 'root', id: 'root', version: 1, sealed: 'sealed' } as const
  await configCache.apply(step('begin', 'second', [], null))
  await configCache.apply(
    step('part', 'second', [card('card_a', 2), controls, networkKey, root], null),
  )
  t.equal(configCache.root(), null)
  await configCache.apply(step('commit', 'second', [], '102:102:'))
  t.match(configCache.root(), { sealed: 'sealed' })
  await configCache.close()
  t.same(readdirSync(directory).sort(), ['current', 'generation-2'])

  const again = open(directory)
  t.same(again.controls('card_a'), controls)
  t.match(again.card('card_a'), { version: 2 })
  t.same(again.networkKeys(), [networkKey])
  t.same([again.cursor, again.databaseId], ['102:102:', DATABASE])
  await again.apply(
    step('change', '102:102:', [{ ...networkKey, version: 2, network: 'mc' }], '103:103:'),
  )
  t.same(
    again.networkKeys().map((key) => key.network),
    ['mc'],
  )
  await again.close()
})

test('a card and its controls are found together, however they changed', async (t) => {
  const configCache = await filled(t.testdir(), [card('card_a', 1), controls])
  const found = () => {
    const byToken = configCache.cardByToken('token-card_a')
    const beside = configCache.controls('card_a')
    const byNumber = configCache.cardByFingerprint('sandbox', 'fingerprint-card_a')
    return [
      byToken?.version,
      beside?.version,
      byNumber?.version,
      configCache.controls('card_a')?.version,
    ]
  }
  t.same(found(), [1, 1, 1, 1])
  await configCache.apply(step('change', '100:100:', [{ ...controls, version: 2 }], '101:101:'))
  t.same(found(), [1, 2, 1, 2])
  await configCache.apply(step('change', '101:101:', [card('card_a', 2)], '102:102:'))
  t.same(found(), [2, 2, 2, 2])
  const gone = { type: 'controls', id: 'card_a', version: 3, removed: true } as const
  await configCache.apply(step('change', '102:102:', [gone], '103:103:'))
  t.same(found(), [2, undefined, 2, undefined])
  await configCache.close()
})

test('controls read back with all their restrictions', async (t) => {
  const rule = { mode: 'allow', values: ['one', 'two'] }
  const filter = {
    mccs: ['5411'],
    countries: ['DE'],
    kinds: ['fuel_dispenser'],
    card_present: true,
  }
  const asking = {
    ...controls,
    controls: [
      ...controls.controls,
      {
        id: 'ctl_b',
        version: 7,
        state: 'draft',
        mccs: rule,
        merchants: rule,
        countries: rule,
        currencies: rule,
        entry_methods: rule,
        card_presence: rule,
        kinds: rule,
        wallets: rule,
        schedule: [{ days: [1, 7], from_minute: 60, until_minute: 1440, time_zone: 'Asia/Tokyo' }],
        limits: [
          limitConfig({ id: 'lim_b', interval: 'rolling', rolling_seconds: 90, count: 4 }),
          limitConfig({ id: 'lim_c', amount_cents: null, filter }),
        ],
        authentication: 'required',
        fallback: 'blocked',
        single_use: { mode: 'max', amount_cents: 500 },
        merchant_lock: true,
        cancel_after: 3,
      },
      openControl('ctl_c'),
    ],
  } as const
  const directory = t.testdir()
  const given = configChangeOf(asking)
  t.same(given, asking)
  await (await filled(directory, [given as ControlsConfig])).close()
  const again = open(directory)
  t.same(again.controls('card_a'), asking)
  await again.close()
})

test('a resync of a replaced pusher cannot reset the config cache', async (t) => {
  const configCache = await filled(t.testdir(), [card('a', 1)])
  await configCache.apply(step('begin', 'slow', [], null))
  await configCache.apply(step('part', 'slow', [card('a', 1)], null))
  const suspended = card('a', 2, { status: 'suspended' })
  await configCache.apply(step('change', '100:100:', [suspended], '110:110:'))
  t.match(await configCache.apply(step('commit', 'slow', [], '105:105:')), { ok: false })
  t.equal(configCache.card('a')?.status, 'suspended')
  await configCache.close()
})

test('a deleted or broken cache starts empty, and can be filled again', async (t) => {
  const breakages: { [name: string]: (directory: string) => void } = {
    deleted: (directory) => rmSync(directory, { recursive: true }),
    'random bytes': (directory) =>
      writeFileSync(join(directory, 'generation-1', 'data.mdb'), Buffer.alloc(65_536, 0xa5)),
    zeroed: (directory) =>
      writeFileSync(join(directory, 'generation-1', 'data.mdb'), Buffer.alloc(65_536)),
    emptied: (directory) => writeFileSync(join(directory, 'generation-1', 'data.mdb'), ''),
    'cut off': (directory) => truncateSync(join(directory, 'generation-1', 'data.mdb'), 12_000),
    'foreign pointer': (directory) => writeFileSync(join(directory, 'current'), '../../etc'),
    'pointer to nothing': (directory) => writeFileSync(join(directory, 'current'), 'generation-9'),
  }
  for (const [name, breakage] of Object.entries(breakages)) {
    const directory = mkdtempSync(join(tmpdir(), 'svc-facts-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    await (await filled(directory, [card('a', 1)])).close()
    breakage(directory)
    const configCache = open(directory)
    t.equal(configCache.cursor, null, name)
    t.equal(configCache.card('a'), null, name)
    await configCache.close()
    const again = await filled(directory, [card('a', 1)])
    t.match(again.cardByToken('token-a'), { id: 'a' }, name + ', filled again')
    await again.close()
  }
})

test('reading a hot card is cheap', async (t) => {
  const cards = Array.from({ length: 2000 }, (_, at) => card('card' + at, 1))
  const configCache = await filled(t.testdir(), cards)
  const startedNs = systemClock.monotonicNs()
  let found = 0
  for (let at = 0; at < 200_000; at++)
    if (configCache.cardByToken('token-card' + (at % 2000)) !== null) found++
  const nsEach = (systemClock.monotonicNs() - startedNs) / 200_000
  t.equal(found, 200_000)
  t.comment('cardByToken: ' + Math.round(nsEach) + ' ns')
  t.ok(nsEach < 20_000)
  await configCache.close()
})
