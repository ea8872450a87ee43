// The peers that the authorization line is measured against make the same decision: they overspend
// nothing, decide a message once, and decline for the engine's reasons.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { type Ask, openNetwork } from '../../bench/peers/network.ts'
import {
  openPostgresAlone,
  type PeerPlace,
  POSTGRES_WAYS,
  REDIS_WAYS,
  spentInPostgres,
  spentInRedis,
  startFastifyPostgres,
  startNodeRedis,
} from '../../bench/peers/peer.ts'
import { startPeerPostgres } from '../../bench/peers/postgres-server.ts'
import { redisMissing, startPeerRedis } from '../../bench/peers/redis-server.ts'
import {
  answerIn,
  CHECK_LIMIT_CENTS,
  type Checked,
  duplicates,
  overspend,
  purchase,
} from '../../bench/peers/scenarios.ts'
import { INTERVALS, policyOf, type World } from '../../bench/peers/world.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'

const ROOT = randomBytes(32)
const DERIVATION = deriveKeys(ROOT, encodeId)
const SECRET = 'nsec_peers'
const POOL = 8

/** Cards by their special property. */
const SPECIAL = {
  plain: {},
  issued: { status: 'issued' },
  suspended: { status: 'suspended' },
  terminated: { status: 'terminated' },
  expired: { expYear: 2020 },
  frozen: { cardholderId: 'ch_frozen' },
  inactive: { cardholderId: 'ch_inactive' },
  stopped: { programId: 'prog_suspended' },
  european: { currency: 'EUR' },
}
const LIMITED = INTERVALS.map((interval) => 'limited_' + interval)
const CHECKED = ['function', 'transaction', 'alone', 'uws', 'fastify'].flatMap((name) => [
  'overspend_' + name,
  'duplicates_' + name,
])

/** The test of every reason has its own cards. */
const ASKERS = ['http', 'alone']
const KINDS = [...Object.keys(SPECIAL), ...LIMITED, 'blocked', 'shared_1', 'shared_2']
const NAMES = [...CHECKED, ...ASKERS.flatMap((asker) => KINDS.map((kind) => kind + '.' + asker))]

const panOf = (at: number): string => '99999900000000' + String(at).padStart(2, '0')

function world(): World {
  const cards = NAMES.map((name, at) => {
    const [kind = ''] = name.split('.')
    const fingerprint = DERIVATION.fingerprint(panOf(at))
    return {
      id: name,
      programId: 'prog',
      cardholderId: kind.startsWith('shared') ? 'ch_' + name.replace(/_./, '') : 'ch',
      token: 'tok_' + name,
      fingerprint,
      status: 'active',
      expMonth: 12,
      expYear: 2034,
      cvcVerifier: DERIVATION.cvcVerifier(fingerprint, '123'),
      currency: 'USD',
      ...SPECIAL[kind as keyof typeof SPECIAL],
    }
  })
  return {
    programs: [
      { id: 'prog', status: 'active' },
      { id: 'prog_suspended', status: 'suspended' },
    ],
    cardholders: [
      { id: 'ch', status: 'active', frozen: false },
      ...ASKERS.map((asker) => ({ id: 'ch_shared.' + asker, status: 'active', frozen: false })),
      { id: 'ch_frozen', status: 'active', frozen: true },
      { id: 'ch_inactive', status: 'inactive', frozen: false },
    ],
    cards,
    policies: [
      ...NAMES.map((name) => {
        const [kind = ''] = name.split('.')
        if (kind.startsWith('limited_'))
          return policyOf(name, 3, { [kind.slice('limited_'.length)]: 100 })
        const limits = CHECKED.includes(name) ? { daily: CHECK_LIMIT_CENTS } : {}
        const lists = { blockedMccs: ['7995', '6051'], blockedCountries: ['KP', 'IR'] }
        return { ...policyOf(name, 3, limits), ...(kind === 'blocked' ? lists : {}) }
      }),
      ...ASKERS.map((asker) => policyOf('ch_shared.' + asker, 2, { monthly: 150 })),
    ],
  }
}

const WORLD = world()

/** Every decline reason with a request that causes it; null approves. */
async function reasonsMatch(t: Test, ask: Ask, asker: string): Promise<void> {
  const reasonTo = async (kind: string, change: Partial<NetworkMessage> = {}) => {
    const token = 'tok_' + kind + '.' + asker
    return answerIn(await ask({ ...purchase({ token }), ...change }))?.decline_reason
  }
  const at = NAMES.indexOf('plain.' + asker)
  const printed = { pan: panOf(at), exp_month: 12, exp_year: 2034, cvc: '123' }
  const { merchant } = purchase({ token: '' })
  const cases: [reason: string | null, name: string, change?: Partial<NetworkMessage>][] = [
    [null, 'plain'],
    [null, 'plain', { card: printed }],
    ['cvc_mismatch', 'plain', { card: { ...printed, cvc: '999' } }],
    ['expiry_mismatch', 'plain', { card: { ...printed, exp_year: 2033 } }],
    ['card_not_found', 'nobody'],
    ['card_not_activated', 'issued'],
    ['card_suspended', 'suspended'],
    ['card_terminated', 'terminated'],
    ['card_expired', 'expired'],
    // Confidential reasons are not revealed to the merchant.
    ['cardholder_inactive', 'frozen'],
    ['cardholder_inactive', 'inactive'],
    ['program_suspended', 'stopped'],
    ['currency_blocked', 'european'],
    [null, 'blocked'],
    ['merchant_category_blocked', 'blocked', { merchant: { ...merchant, mcc: '6051' } }],
    ['merchant_country_blocked', 'blocked', { merchant: { ...merchant, country: 'IR' } }],
  ]
  for (const [reason, name, change] of cases)
    t.equal(await reasonTo(name, change), reason, name + ' ' + JSON.stringify(change ?? {}))
  for (const interval of INTERVALS) {
    const name = 'limited_' + interval
    const over = { amount_cents: 101 }
    t.equal(await reasonTo(name, over), 'limit_' + interval, 'a cent too much')
    t.equal(await reasonTo(name), null, 'exactly the limit')
    const again = interval === 'per_authorization' ? null : 'limit_' + interval
    t.equal(await reasonTo(name), again, 'what was spent counts')
  }
  t.equal(await reasonTo('shared_1'), null)
  t.equal(await reasonTo('shared_2'), 'limit_monthly', 'the holder’s limit holds for both cards')
}

async function isRight(t: Test, peer: Checked, name: string): Promise<void> {
  const card = (kind: string) => ({ id: kind + '_' + name, token: 'tok_' + kind + '_' + name })
  t.same(await overspend(peer, card('overspend')), [], name + ' overspends nothing')
  t.same(await duplicates(peer, card('duplicates')), [], name + ' decides a message once')
}

/** A stranger and an undecidable message are refused. */
async function refuses(t: Test, port: number, ask: Ask): Promise<void> {
  const stranger = openNetwork(port, 'nsec_other')
  t.equal((await stranger.ask(purchase({ token: 'tok_plain' }))).status, 401)
  stranger.close()
  const message = purchase({ token: 'tok_plain' })
  t.equal((await ask({ ...message, amount_cents: -1 })).status, 400)
  t.equal((await ask({ ...message, kind: 'capture' })).status, 400)
}

function newPlace(t: Test): PeerPlace {
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-peers-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return { directory, secret: SECRET, root: ROOT.toString('hex') }
}

test('the peers with PostgreSQL overspend nothing, decide once, and decline for the same reasons', async (t) => {
  const place = newPlace(t)
  const postgres = await startPeerPostgres(place.directory, WORLD)
  t.teardown(() => postgres.stop())
  const spentCents = (id: string) => spentInPostgres(postgres, id)
  for (const way of POSTGRES_WAYS) {
    const server = await startFastifyPostgres(place, postgres, { way, processes: 1, pool: POOL })
    const network = openNetwork(server.port, SECRET)
    try {
      await isRight(t, { ask: network.ask, spentCents }, way)
      await refuses(t, server.port, network.ask)
      if (way === 'transaction') await reasonsMatch(t, network.ask, 'http')
    } finally {
      network.close()
      await server.stop()
    }
  }
  const alone = openPostgresAlone(place, postgres, POOL)
  await isRight(t, { ask: alone.ask, spentCents }, 'alone')
  await reasonsMatch(t, alone.ask, 'alone')
  await alone.close()
})

test('the peer with Redis overspends nothing, decides once, and declines for the same reasons', async (t) => {
  const missing = redisMissing()
  if (missing !== null) return t.comment(missing)
  const place = newPlace(t)
  const redis = await startPeerRedis(place.directory, WORLD)
  t.teardown(() => redis.stop())
  const spentCents = (id: string) => spentInRedis(redis, id)
  for (const way of REDIS_WAYS) {
    const server = await startNodeRedis(place, redis, { way, processes: 2, pool: 2 })
    const network = openNetwork(server.port, SECRET)
    try {
      await isRight(t, { ask: network.ask, spentCents }, way === 'fastify' ? 'fastify' : 'uws')
      await refuses(t, server.port, network.ask)
      if (way === 'fastify') await reasonsMatch(t, network.ask, 'http')
    } finally {
      network.close()
      await server.stop()
    }
  }
})
