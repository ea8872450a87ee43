// The facts cache: versions, tombstones, indexes, the swap of a full copy, and a cache that is
// deleted or broken.
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { openFacts } from '../../engine/facts/facts.ts'
import { factChangeOf } from '../../engine/facts/record.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { PushFacts } from '../../shared/wire/control.ts'
import {
  type CardFact,
  type ControlsFact,
  type FactChange,
  type NetworkKeyFact,
  openControl,
} from '../../shared/wire/facts.ts'
import { limitFact } from '../harness/judged.ts'

const log = createLog({ name: 'test', level: 'silent' })
const DATABASE = 'database-a'

function open(directory: string) {
  return openFacts({
    directory,
    clock: systemClock,
    log,
    onFailed(reason) {
      throw new Error(reason)
    },
  })
}

function card(id: string, version: number, more: Partial<CardFact> = {}): CardFact {
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
    ...more,
  }
}

const controls = factChangeOf({
  type: 'controls',
  id: 'card_a',
  version: 1,
  scope: 'card',
  controls: [
    {
      ...openControl('ctl_a'),
      mccs: { mode: 'block', values: ['7995'] },
      countries: { mode: 'allow', values: ['DE', 'FR'] },
      limits: [limitFact({ currency: 'EUR', time_zone: 'Europe/Berlin' })],
    },
  ],
}) as ControlsFact

const networkKey: NetworkKeyFact = {
  type: 'network_key',
  id: 'nk_1',
  version: 1,
  network: 'visa',
  environment: 'sandbox',
  sealed_secret: 'sealed',
}

function step(
  name: PushFacts['step'],
  base: string,
  changes: readonly FactChange[],
  cursor: string | null,
): PushFacts {
  return { database_id: DATABASE, step: name, base, changes, cursor }
}

async function filled(directory: string, rows: readonly FactChange[], cursor = '100:100:') {
  const facts = open(directory)
  for (const push of [
    step('begin', 'first', [], null),
    step('part', 'first', rows, null),
    step('commit', 'first', [], cursor),
  ]) {
    const done = await facts.apply(push)
    if (!done.ok) throw new Error(done.error)
  }
  return facts
}

test('facts are incomplete until a whole copy is committed', async (t) => {
  const facts = open(t.testdir())
  t.equal(facts.cursor, null)
  t.equal(facts.cardByToken('token-a'), null)
  t.match(await facts.apply(step('change', '1:1:', [card('a', 1)], '2:2:')), {
    ok: false,
    error: /in full/,
  })
  await facts.apply(step('begin', 'one', [], null))
  await facts.apply(step('part', 'one', [card('a', 1)], null))
  t.equal(facts.cardByToken('token-a'), null, 'parts are invisible')
  t.match(await facts.apply(step('part', 'two', [], null)), { ok: false, error: /begin it again/ })
  t.match(await facts.apply(step('commit', 'one', [], '5:7:5')), { ok: true })
  t.match(facts.cardByToken('token-a'), { id: 'a' })
  t.match(facts.cardByFingerprint('sandbox', 'fingerprint-a'), { id: 'a' })
  t.equal(facts.cardByFingerprint('live', 'fingerprint-a'), null)
  t.same(
    [facts.covers(4n), facts.covers(5n), facts.covers(6n), facts.covers(7n)],
    [true, false, true, false],
  )
  await facts.close()
})

test('an older version never replaces a newer one, also not after a removal', async (t) => {
  const facts = await filled(t.testdir(), [card('a', 5, { status: 'suspended' })])
  await facts.apply(step('change', '100:100:', [card('a', 4)], '101:101:'))
  t.equal(facts.card('a')?.status, 'suspended')
  t.equal(facts.cursor, '101:101:')
  const removal: FactChange = { type: 'card', id: 'a', version: 6, removed: true }
  await facts.apply(step('change', '101:101:', [removal], '102:102:'))
  t.equal(facts.card('a'), null)
  t.equal(facts.cardByToken('token-a'), null)
  await facts.apply(step('change', '102:102:', [card('a', 5)], '103:103:'))
  t.equal(facts.card('a'), null, 'the tombstone keeps version 5 out')
  await facts.apply(step('change', '103:103:', [card('a', 7)], '104:104:'))
  t.match(facts.cardByToken('token-a'), { version: 7 })
  t.match(await facts.apply(step('change', '103:103:', [], '105:105:')), { ok: false })
  await facts.close()
})

test('whoever keeps what was read hears of every change at once', async (t) => {
  const facts = await filled(t.testdir(), [card('a', 1)])
  const before = facts.changes
  t.match(facts.cardByToken('token-a'), { version: 1 })
  t.equal(facts.changes, before, 'reading changes nothing')
  const applied = facts.apply(step('change', '100:100:', [card('a', 2)], '101:101:'))
  let told = before
  for (let turn = 0; turn < 50 && facts.cardByToken('token-a')?.version === 1; turn++) {
    t.equal(facts.changes, before)
    await Promise.resolve()
  }
  t.match(facts.cardByToken('token-a'), { version: 2 })
  t.not(facts.changes, told, 'as soon as it is seen')
  await applied
  told = facts.changes
  await facts.apply(step('change', '101:101:', [], '102:102:'))
  t.equal(facts.changes, told, 'nothing was changed')
  await facts.apply(step('begin', 'one', [], null))
  await facts.apply(step('part', 'one', [card('b', 1)], null))
  t.equal(facts.changes, told, 'parts are invisible')
  await facts.apply(step('commit', 'one', [], '103:103:'))
  t.not(facts.changes, told)
  await facts.close()
})

test('a token points at the card that has it now, whatever the order in the batch', async (t) => {
  const swaps = [
    [card('a', 2, { token: 'token-b' }), card('b', 2, { token: 'token-a' })],
    [card('b', 2, { token: 'token-a' }), card('a', 2, { token: 'token-b' })],
  ]
  for (const swap of swaps) {
    const facts = await filled(t.testdir(), [card('a', 1), card('b', 1)])
    await facts.apply(step('change', '100:100:', swap, '101:101:'))
    const owners = [facts.cardByToken('token-a')?.id, facts.cardByToken('token-b')?.id]
    t.same(owners, ['b', 'a'])
    await facts.apply(step('change', '101:101:', [card('a', 3, { token: 'new' })], '102:102:'))
    t.equal(facts.cardByToken('token-b'), null)
    t.equal(facts.cardByToken('new')?.id, 'a')
    await facts.close()
  }
})

test('everything is there again after a reopen, and old generations are gone', async (t) => {
  const directory = t.testdir()
  const facts = await filled(directory, [card('card_a', 1), controls, networkKey])
  await facts.apply(step('change', '100:100:', [card('card_a', 2)], '101:101:'))
  const root = { type: 'root', id: 'root', version: 1, sealed: 'sealed' } as const
  await facts.apply(step('begin', 'second', [], null))
  await facts.apply(step('part', 'second', [card('card_a', 2), controls, networkKey, root], null))
  t.equal(facts.root(), null)
  await facts.apply(step('commit', 'second', [], '102:102:'))
  t.match(facts.root(), { sealed: 'sealed' })
  await facts.close()
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
  const facts = await filled(t.testdir(), [card('card_a', 1), controls])
  const found = () => {
    const byToken = facts.cardByToken('token-card_a')
    const beside = facts.controls('card_a')
    const byNumber = facts.cardByFingerprint('sandbox', 'fingerprint-card_a')
    return [byToken?.version, beside?.version, byNumber?.version, facts.controls('card_a')?.version]
  }
  t.same(found(), [1, 1, 1, 1])
  await facts.apply(step('change', '100:100:', [{ ...controls, version: 2 }], '101:101:'))
  t.same(found(), [1, 2, 1, 2])
  await facts.apply(step('change', '101:101:', [card('card_a', 2)], '102:102:'))
  t.same(found(), [2, 2, 2, 2])
  const gone = { type: 'controls', id: 'card_a', version: 3, removed: true } as const
  await facts.apply(step('change', '102:102:', [gone], '103:103:'))
  t.same(found(), [2, undefined, 2, undefined])
  await facts.close()
})

test('controls come back with all they ask', async (t) => {
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
          limitFact({ id: 'lim_b', interval: 'rolling', rolling_seconds: 90, count: 4 }),
          limitFact({ id: 'lim_c', amount_cents: null, filter }),
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
  const given = factChangeOf(asking)
  t.same(given, asking)
  await (await filled(directory, [given as ControlsFact])).close()
  const again = open(directory)
  t.same(again.controls('card_a'), asking)
  await again.close()
})

test('a resync of a replaced pusher cannot take the facts back', async (t) => {
  const facts = await filled(t.testdir(), [card('a', 1)])
  await facts.apply(step('begin', 'slow', [], null))
  await facts.apply(step('part', 'slow', [card('a', 1)], null))
  const suspended = card('a', 2, { status: 'suspended' })
  await facts.apply(step('change', '100:100:', [suspended], '110:110:'))
  t.match(await facts.apply(step('commit', 'slow', [], '105:105:')), { ok: false })
  t.equal(facts.card('a')?.status, 'suspended')
  await facts.close()
})

test('a deleted or broken cache means an empty start, and it can be filled again', async (t) => {
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
    const facts = open(directory)
    t.equal(facts.cursor, null, name)
    t.equal(facts.card('a'), null, name)
    await facts.close()
    const again = await filled(directory, [card('a', 1)])
    t.match(again.cardByToken('token-a'), { id: 'a' }, name + ', filled again')
    await again.close()
  }
})

test('reading a hot card costs little', async (t) => {
  const cards = Array.from({ length: 2000 }, (_, at) => card('card' + at, 1))
  const facts = await filled(t.testdir(), cards)
  const startedNs = systemClock.monotonicNs()
  let found = 0
  for (let at = 0; at < 200_000; at++)
    if (facts.cardByToken('token-card' + (at % 2000)) !== null) found++
  const nsEach = (systemClock.monotonicNs() - startedNs) / 200_000
  t.equal(found, 200_000)
  t.comment('cardByToken: ' + Math.round(nsEach) + ' ns')
  t.ok(nsEach < 20_000)
  await facts.close()
})
