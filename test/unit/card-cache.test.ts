import { test } from 'tap'
import type { ConfigReader } from '../../engine/config-cache/reader.ts'
import { cachedCard } from '../../engine/line/card-cache.ts'
import { defaultWindows } from '../../engine/line/default-windows.ts'
import type { Line, Message } from '../../engine/line/line.ts'
import { emptyState, step } from '../../engine/state/decision-state.ts'
import type {
  CardConfig,
  CardholderConfig,
  ControlsConfig,
  EndpointConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import { PLAIN_MESSAGE } from '../../shared/wire/plain-message.ts'
import { controlsConfig, endpointConfig, judgedConfig, limitConfig } from '../harness/judged.ts'
import { LineInHand } from '../harness/line-in-hand.ts'

const { card: CARD, program, cardholder, message } = judgedConfig()

const ENDPOINT = endpointConfig({ tenant_id: CARD.tenant_id, environment: CARD.environment })

interface World {
  configCache: {
    changes: number
    looks: number
    cards: CardConfig[]
    holder: CardholderConfig
    program: ProgramConfig
    endpoint: EndpointConfig
    controls: ControlsConfig[]
  }
  known(message: Partial<Message>): ReturnType<typeof cachedCard>
}

/** A config cache that counts its lookups of cards. */
function world(): World {
  const configCache: World['configCache'] = {
    changes: 1,
    looks: 0,
    cards: [CARD],
    holder: cardholder,
    program,
    endpoint: ENDPOINT,
    controls: [],
  }
  const look = (is: (card: CardConfig) => boolean): CardConfig | null => {
    configCache.looks += 1
    return configCache.cards.find(is) ?? null
  }
  const reader = {
    get changes() {
      return configCache.changes
    },
    cardByToken: (token: string) => look((card) => card.token === token),
    cardByFingerprint: (environment: string, fingerprint: string) =>
      look((card) => card.environment === environment && card.fingerprint === fingerprint),
    cardholder: (id: string) => (id === configCache.holder.id ? configCache.holder : null),
    program: () => configCache.program,
    endpoint: () => configCache.endpoint,
    controls: (id: string) => configCache.controls.find((controls) => controls.id === id) ?? null,
  }
  const line = { configCache: reader as unknown as ConfigReader } as Line
  const unnamed = {
    environment: 'sandbox',
    cardToken: null,
    fingerprint: null,
    record: PLAIN_MESSAGE,
  } as const
  return {
    configCache,
    known: (message) => cachedCard(line, { ...unnamed, ...message } as Message),
  }
}

function madeOf(known: ReturnType<typeof cachedCard>) {
  if (known === null || known === 'incomplete') throw new Error('a card')
  return known
}

test('a card is cached at its second use and looked up again after each change of the cache', (t) => {
  const { configCache, known } = world()
  const token = { cardToken: CARD.token }
  const once = madeOf(known(token))
  const first = madeOf(known(token))
  t.not(first, once, 'what comes once is not kept')
  t.equal(known(token), first)
  t.equal(configCache.looks, 2)
  configCache.changes += 1
  t.equal(known(token), first, 'nothing of this card is new')
  t.equal(known(token), first)
  t.equal(configCache.looks, 3)
  configCache.cards = [{ ...CARD, status: 'suspended', version: 2 }]
  configCache.changes += 1
  t.match(madeOf(known(token)).record, { cardStatus: 'suspended', cardVersion: 2 })
  const own = controlsConfig({ id: CARD.id, limits: [limitConfig({ filter: null })] })
  configCache.controls = [own]
  configCache.changes += 1
  t.match(madeOf(known(token)), {
    hasOnlyDefaultWindows: true,
    record: { controlVersions: [0, 0, own.version] },
  })
  configCache.cards = []
  configCache.changes += 1
  t.equal(known(token), null)
  t.end()
})

test('only a change of a record about the card rebuilds it', (t) => {
  const { configCache, known } = world()
  const token = { cardToken: CARD.token }
  configCache.program = { ...program, endpoint_id: ENDPOINT.id }
  configCache.controls = [program.id, cardholder.id, CARD.id].map((id) => controlsConfig({ id }))
  const changed: Record<string, () => void> = {
    card: () => (configCache.cards = configCache.cards.map((card) => ({ ...card, version: 2 }))),
    cardholder: () => (configCache.holder = { ...configCache.holder, version: 2 }),
    program: () => (configCache.program = { ...configCache.program, version: 2 }),
    endpoint: () => (configCache.endpoint = { ...configCache.endpoint, version: 2 }),
  }
  for (const at of configCache.controls.keys())
    changed['controls ' + at] = () => {
      configCache.controls = configCache.controls.map((own, of) => (of === at ? { ...own } : own))
    }
  known(token)
  for (const [part, change] of Object.entries(changed)) {
    const before = known(token)
    configCache.changes += 1
    t.equal(known(token), before, 'as it was')
    change()
    t.equal(known(token), before, 'nobody has said that something changed')
    configCache.changes += 1
    t.not(known(token), before, part)
  }
  t.same(
    madeOf(known(token)).owners.map(({ scope }) => scope),
    ['program', 'cardholder', 'card'],
  )
  t.end()
})

test('one card number may exist in both environments', (t) => {
  const { configCache, known } = world()
  configCache.cards.push({ ...CARD, id: 'card_live', environment: 'live' })
  const { fingerprint } = CARD
  for (let again = 0; again < 3; again++) {
    t.equal(madeOf(known({ fingerprint })).card.id, CARD.id)
    t.equal(madeOf(known({ fingerprint, environment: 'live' })).card.id, 'card_live')
  }
  t.equal(known({ cardToken: CARD.token, environment: 'live' }), null)
  t.equal(known({ cardToken: fingerprint }), null)
  t.equal(known({}), null)
  t.end()
})

test('a card without its cardholder is incomplete, and is looked up again', (t) => {
  const { configCache, known } = world()
  configCache.cards = [{ ...CARD, cardholder_id: 'ch_gone' }]
  t.equal(known({ cardToken: CARD.token }), 'incomplete')
  t.equal(known({ cardToken: CARD.token }), 'incomplete')
  t.equal(configCache.looks, 2)
  t.end()
})

test('a rolling window, filter, zone, use count or draft makes a card need more than default windows', (t) => {
  const plain = (change: Parameters<typeof controlsConfig>[0], zone = 'UTC'): boolean => {
    const { configCache, known } = world()
    configCache.program = { ...program, time_zone: zone }
    configCache.controls = [controlsConfig({ id: CARD.id, ...change })]
    return madeOf(known({ cardToken: CARD.token })).hasOnlyDefaultWindows
  }
  t.equal(plain({ limits: [limitConfig({ time_zone: 'UTC' })] }), true)
  t.equal(plain({ limits: [limitConfig({ time_zone: 'UTC' })] }, 'Asia/Tokyo'), true)
  t.equal(plain({ limits: [limitConfig({ time_zone: 'Asia/Tokyo' })] }, 'Asia/Tokyo'), true)
  t.equal(plain({ limits: [limitConfig({ time_zone: 'Asia/Tokyo' })] }), false)
  t.equal(
    plain({ limits: [limitConfig({ time_zone: 'Asia/Tokyo', interval: 'per_authorization' })] }),
    true,
  )
  t.equal(plain({ limits: [limitConfig({ interval: 'rolling', rolling_seconds: 60 })] }), false)
  const filter = { mccs: ['5411'], countries: null, kinds: null, card_present: null }
  t.equal(plain({ limits: [limitConfig({ filter })] }), false)
  t.equal(plain({ cancel_after: 3 }), false)
  t.equal(plain({ state: 'draft' }), false)
  t.end()
})

test('the control versions of a card are those of all three subjects, drafts included', (t) => {
  const { configCache, known } = world()
  configCache.controls = [
    controlsConfig({ id: program.id, version: 4, scope: 'program' }),
    controlsConfig({ id: cardholder.id, version: 5, scope: 'cardholder', state: 'draft' }),
    controlsConfig({ id: CARD.id, version: 6 }),
  ]
  const { record, controls } = madeOf(known({ cardToken: CARD.token }))
  t.same(record.controlVersions, [4, 5, 6])
  t.same(
    controls.map(({ scope }) => scope),
    ['program', 'card'],
    'a draft binds nothing',
  )
  t.end()
})

test('default windows begin anew at midnight in UTC and in the program’s zone', (t) => {
  for (const [zone, before, midnight] of [
    ['UTC', '2026-11-20T23:59:59Z', '2026-11-21T00:00:00Z'],
    ['Asia/Tokyo', '2026-11-20T14:59:59Z', '2026-11-20T15:00:00Z'],
  ] as const) {
    const line = new LineInHand(Date.parse(before), { time_zone: 'Asia/Tokyo' })
    line.control('card', { limits: [limitConfig({ time_zone: zone, count: 2 })] })
    t.same([line.buy(), line.buy(), line.buy()], [null, null, 'limit_count'], zone)
    line.moveTo(midnight)
    t.equal(line.buy(), null)
    t.equal(line.contradiction(), null)
  }
  t.end()
})

test('default windows are the same all day, and know each meter once it is opened', (t) => {
  const { configCache, known } = world()
  configCache.program = { ...program, time_zone: 'Asia/Tokyo' }
  const card = madeOf(known({ cardToken: CARD.token }))
  const state = emptyState()
  const windowsAt = (when: string) =>
    defaultWindows({ state, message, currency: 'USD', nowMs: Date.parse(when) }, card)
  const first = windowsAt('2026-11-20T01:00:00Z')
  t.same(first.meters, [-1, -1, -1, -1, -1, -1])
  t.equal(card.packed, null, 'most cards come once')
  t.equal(windowsAt('2026-11-20T14:00:00Z'), first)
  t.not(card.packed, null)
  step(state, { type: 'reserve', keys: first.keys, amount: 1, count: 1 })
  t.equal(windowsAt('2026-11-20T14:59:59Z'), first)
  t.same(
    first.meters,
    first.keys.map(([subject, zone, currency]) => state.meters.find(subject, zone, currency)),
  )
  t.notOk(first.meters.includes(-1))
  const next = windowsAt('2026-11-20T15:00:00Z')
  t.same(
    next.keys.map(([subject, zone, , day]) => [subject, zone, day]),
    [program.id, cardholder.id, CARD.id].flatMap((subject) => [
      [subject, 'UTC', 20261120],
      [subject, 'Asia/Tokyo', 20261121],
    ]),
  )
  t.equal(card.packed, null, 'what its entries had in common is over')
  t.end()
})
