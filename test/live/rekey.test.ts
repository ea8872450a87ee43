import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import {
  type MasterKeys,
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  seal,
  unseal,
} from '../../shared/keyring.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { openWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { killDispatcher, recordEvents, startDispatcher } from '../harness/dispatcher-process.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const SCRIPT = fileURLToPath(new URL('../../scripts/rekey.ts', import.meta.url))
/** More than two batches. */
const CARDS = 1100
const PAN = '4000001234567899'

/** Sealed values that the engine decides with: resealing makes a new version. */
const FACTS = new Set<string>([
  SEAL_CONTEXTS.root,
  SEAL_CONTEXTS.networkSecret,
  SEAL_CONTEXTS.webhookSecret,
])

interface Installation {
  sql: Sql
  url: string
  dataDir: string
  keys(): MasterKeys
  rekey(environment?: { [name: string]: string }): { status: number | null; text: string }
}

/** A database with sealed values of every kind, and a data directory with their key. */
async function openInstallation(t: Test): Promise<Installation> {
  const { sql, url } = await openTestDatabase(t)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-test-rekey-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const keyPath = join(dataDir, 'master.key')
  writeFileSync(keyPath, newMasterKeyText() + '\n', { mode: 0o600 })
  const keys = (): MasterKeys => keysOf(readFileSync(keyPath, 'utf8'))
  await seedSealed(sql, keys())
  return {
    sql,
    url,
    dataDir,
    keys,
    rekey(environment = {}) {
      const ran = spawnSync(process.execPath, [SCRIPT], {
        env: { ...process.env, DATABASE_URL: url, SVC_DATA_DIR: dataDir, ...environment },
        encoding: 'utf8',
      })
      return { status: ran.status, text: ran.stdout + ran.stderr }
    },
  }
}

function keysOf(text: string): MasterKeys {
  const parsed = parseMasterKeys(text, true)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

async function seedSealed(sql: Sql, keys: MasterKeys): Promise<void> {
  const owner = { tenant_id: 'ten_1', environment: 'sandbox', created_at: 0 }
  const root = { id: 'root', sealed: seal(keys, SEAL_CONTEXTS.root, Buffer.alloc(32, 7)) }
  await sql`insert into derivation_root ${sql(root)}`
  await sql`insert into tenants values ('ten_1', 'Tenant', '2026-01-01', 0)`
  const networkSecret = seal(keys, SEAL_CONTEXTS.networkSecret, 'network-secret')
  await sql`insert into network_keys values ('nkey_1', 'net', 'sandbox', ${networkSecret}, 0)`
  await sql`insert into webhook_endpoints ${sql({ id: 'we_1', url: 'https://a.test', ...owner })}`
  const secret = seal(keys, SEAL_CONTEXTS.webhookSecret, 'whsec_secret')
  await sql`insert into webhook_secrets values ('whs_1', 'we_1', 0, ${secret}, 0)`
  const totp = seal(keys, SEAL_CONTEXTS.totpSecret, 'totp-secret')
  await sql`
    insert into identities (id, email, name, password_hash, totp_sealed, created_at)
    values ('idn_1', 'a@b.test', 'Ada', 'hash', ${totp}, 0)`
  const answer = seal(keys, SEAL_CONTEXTS.idempotencyKey, 'idempotency-key')
  await sql`
    insert into idempotency_keys (tenant_id, environment, key, sealed, created_at)
    values ('ten_1', 'sandbox', 'key-1', ${answer}, 0)`
  await sql`insert into factor_challenges ${sql(challenge(keys))}`
  await sql`insert into programs ${sql({ id: 'prog_1', name: 'P', status: 'active', ...owner })}`
  const holder = { id: 'ch_1', program_id: 'prog_1', name: 'C', status: 'active', ...owner }
  await sql`insert into cardholders ${sql(holder)}`
  const cards = Array.from({ length: CARDS }, (_, index) => ({
    id: 'card_' + String(index).padStart(5, '0'),
    program_id: 'prog_1',
    cardholder_id: 'ch_1',
    type: 'virtual',
    status: 'active',
    token: 'token_' + index,
    fingerprint: 'fingerprint_' + index,
    sealed_pan: seal(keys, SEAL_CONTEXTS.pan, PAN),
    last4: '7899',
    exp_month: 1,
    exp_year: 2030,
    cvc_verifier: 'v',
    currency: 'EUR',
    ...owner,
  }))
  await sql`insert into cards ${sql(cards)}`
}

function challenge(keys: MasterKeys) {
  const texts = { operation: '', method: 'POST', path: '/', ip: '', request_id: 'req_1' }
  return {
    ...{ id: 'fch_1', tenant_id: 'ten_1', environment: 'sandbox', key_id: 'key_1', ...texts },
    handle_hash: Buffer.of(1),
    token_hash: Buffer.of(2),
    sealed: seal(keys, SEAL_CONTEXTS.factorChallenge, 'challenge'),
    created_at: 0,
    expires_at: 1,
  }
}

/**
 * Every sealed value: its place, its key, its plain value, and the version of its config record.
 */
async function readSealed(sql: Sql, keys: MasterKeys) {
  const rows = await sql<{ context: string; sealed: string; version: number }[]>`
    select ${SEAL_CONTEXTS.root} as context, sealed, version from derivation_root
    union all select ${SEAL_CONTEXTS.networkSecret}, sealed_secret, version from network_keys
    union all select ${SEAL_CONTEXTS.webhookSecret}, s.sealed, e.version
      from webhook_secrets s join webhook_endpoints e on e.id = s.endpoint_id
    union all select ${SEAL_CONTEXTS.totpSecret}, totp_sealed, 0 from identities
    union all select ${SEAL_CONTEXTS.idempotencyKey}, sealed, 0 from idempotency_keys
    union all select ${SEAL_CONTEXTS.factorChallenge}, sealed, 0 from factor_challenges
    union all select ${SEAL_CONTEXTS.pan}, sealed_pan, version from cards`
  return rows.map(({ context, sealed, version }) => {
    const opened = unseal(keys, context, sealed)
    return {
      context,
      version,
      // s1:<key id>:…
      key: sealed.split(':')[1],
      plain: opened.ok ? opened.value.toString('hex') : opened.error,
    }
  })
}

test('every sealed value moves to a fresh key and keeps its contents', async (t) => {
  const { sql, dataDir, keys, rekey } = await openInstallation(t)
  const [oldKey] = keys()
  const before = await readSealed(sql, keys())
  const [{ last }] = await sql<[{ last: number }]>`select max(seq) as last from config_change`

  const ran = rekey()
  t.equal(ran.status, 0, ran.text)
  const [newKey, ...rest] = keys()
  t.same([newKey.id === oldKey.id, rest], [false, [oldKey]], 'the old key stays behind the new one')
  t.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600)

  const after = await readSealed(sql, keys())
  t.same(
    after,
    before.map((row) => ({
      ...row,
      key: newKey.id,
      // A card's number is not part of its config record: wrong PINs keep counting.
      version: row.version + (FACTS.has(row.context) ? 1 : 0),
    })),
  )
  const [{ changes }] = await sql<[{ changes: number }]>`
    select count(*) as changes from config_change where seq > ${last}`
  t.equal(changes, 3, 'the engine learns of every one that it decides by')
  t.match(ran.text, new RegExp('cards +' + CARDS + ' re-encrypted'))
  const secrets = [PAN, 'whsec_secret', 'network-secret', newKey.bytes.toString('base64')]
  t.notOk(
    secrets.some((secret) => ran.text.includes(secret)),
    'the output names no secret',
  )
})

test('a stopped run is finished under its own key', async (t) => {
  const { sql, keys, rekey } = await openInstallation(t)
  t.equal(rekey().status, 0)
  const [current, old] = keys()
  const stale = seal([old!], SEAL_CONTEXTS.pan, PAN)
  await sql`update cards set sealed_pan = ${stale} where id < 'card_00100'`
  const ran = rekey()
  t.match(ran.text, /100 values are left/)
  t.same([ran.status, keys().length], [0, 2])
  const sealed = await readSealed(sql, keys())
  t.ok(sealed.every((row) => row.key === current.id))
})

test('a value that no key opens is reported and skipped, and the others move', async (t) => {
  const { sql, keys, rekey } = await openInstallation(t)
  const stranger = keysOf('stranger:' + Buffer.alloc(32, 1).toString('base64'))
  const foreign = seal(stranger, SEAL_CONTEXTS.pan, PAN)
  await sql`update cards set sealed_pan = ${foreign} where id = 'card_00007'`
  const ran = rekey()
  t.equal(ran.status, 1)
  t.match(ran.text, /cards: sealed under master key stranger, which is not configured/)
  const sealed = await readSealed(sql, keys())
  t.equal(sealed.filter((row) => row.key === keys()[0].id).length, CARDS + 5)
  t.equal(sealed.filter((row) => row.key === 'stranger').length, 1)
})

test('keys from SVC_MASTER_KEY are used as given, and no key is generated', async (t) => {
  const { sql, keys, rekey } = await openInstallation(t)
  const [old] = keys()
  const text =
    'next:' +
    Buffer.alloc(32, 9).toString('base64') +
    ',' +
    old.id +
    ':' +
    old.bytes.toString('base64')
  const ran = rekey({ SVC_MASTER_KEY: text, SVC_ENVIRONMENT: 'live' })
  t.equal(ran.status, 0, ran.text)
  const sealed = await readSealed(sql, keysOf(text))
  t.ok(sealed.every((row) => row.key === 'next'))
  t.equal(keys().length, 1)
})

test('a running dispatcher keeps signing after a rekey', async (t) => {
  const { sql, url, dataDir, rekey } = await openInstallation(t)
  const receiver = await openWebhookReceiver()
  t.teardown(() => receiver.close())
  await sql`update webhook_endpoints set url = ${receiver.url + '/we'} where id = 'we_1'`
  const dispatcher = await startDispatcher(url, { SVC_MASTER_KEY: '', SVC_DATA_DIR: dataDir })
  t.teardown(() => killDispatcher(dispatcher))

  await recordEvents(sql, { tenantId: 'ten_1', count: 1 })
  await until(() => receiver.at('/we').length === 1)
  t.equal(rekey().status, 0)
  await recordEvents(sql, { tenantId: 'ten_1', count: 1 })
  await until(() => receiver.at('/we').length === 2)
  const received = receiver.at('/we')[1]!
  const seconds = Number(received.headers['webhook-timestamp'])
  t.equal(
    received.headers['svc-signature'],
    signatureHeader(['whsec_secret'], seconds, received.body),
  )
})
