// The testbed for benches of passes: PostgreSQL, an api that signs passes, tenants with passes by
// the million, and a dispatcher that pushes to a push service which speaks Apple's protocol.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tx } from '../../api/database/transaction.ts'
import { ensureSandboxCertificates } from '../../api/passes/wallets/apple/sandbox-certificates.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId, randomSecret } from '../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { TEMPLATE } from '../../test/harness/passes.ts'
import { SEEDED_AT_MS, seedTenant } from '../../test/harness/tenant.ts'
import { type ApiTestbed, openApiTestbed } from '../api-stand.ts'
import type { Generator } from '../generator.ts'
import { copyRows } from '../growth/copied-rows.ts'
import { type SizedTenant, widenLimits } from '../growth/pages.ts'
import { startPart } from '../our-process.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { freePort, type Server, startServer } from '../server-process.ts'

const OUTSIDE_PARTIES = fileURLToPath(
  new URL('../../scripts/outside-parties/main.ts', import.meta.url),
)
const PUBLIC_URL = 'https://passes.example'
/** In which the passes of a tenant were made. */
const DAYS = 90

export interface PassTenant extends SizedTenant {
  /** A key of scope write. */
  writeKey: string
  /** All its passes are of it. */
  templateId: string
}

export interface PassTestbed extends Omit<ApiTestbed, 'startApi' | 'ends'> {
  api: Server
  /** Where the tenants' events arrive. */
  receiver: Receiver
  /**
   * A tenant of its own with so many passes, a tenth of them installed, as an API call made the
   * first one.
   */
  addTenant(passes: number): Promise<PassTenant>
  /**
   * Waits until no notification waits any more, and brings the tables into the state after a night.
   */
  settle(): Promise<void>
  /** Makes a call of a tenant and returns its answer; throws for a refusal. */
  call(
    tenant: PassTenant,
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: object,
  ): Promise<Body>
  /** Starts a dispatcher, which the caller stops. */
  startDispatcher(): Promise<Server>
}

export interface Body {
  readonly [field: string]: unknown
}

/** The measured tenants, and the generator that calls them. */
export interface Scene {
  stand: PassTestbed
  generator: Generator
  few: PassTenant
  many: PassTenant
}

/** Everything up, or nothing left running. */
export async function openPassTestbed(): Promise<PassTestbed> {
  const base = await openApiTestbed()
  try {
    return await buildTestbed(base)
  } catch (error) {
    await base.close()
    throw error
  }
}

async function buildTestbed(base: ApiTestbed): Promise<PassTestbed> {
  const { directory, sql, databaseUrl } = base
  const loaded = loadMasterKeys({ dataDir: directory, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const keys = loaded.value
  await tx(sql, (inner) => ensureDerivationRoot(inner, keys))
  const receiver = await startReceiver()
  base.ends(() => receiver.stop())
  const { push, apple } = await startPushPeer(base)
  const api = await base.startApi({ SVC_PUBLIC_URL: PUBLIC_URL, ...apple })
  const call: PassTestbed['call'] = (tenant, method, path, body) =>
    callApi(api.port, tenant.writeKey, { method, path, body })
  return Object.assign(base, {
    api,
    receiver,
    call,
    addTenant: (rows: number) => addTenant({ base, receiver, keys, call }, rows),
    async settle() {
      await sql`truncate event_outbox, open_deliveries, pass_pushes`
      await sql`vacuum analyze`.simple()
    },
    startDispatcher: () =>
      startPart('dispatcher', 0, {
        DATABASE_URL: databaseUrl,
        SVC_DATA_DIR: directory,
        SVC_PUBLIC_URL: PUBLIC_URL,
        SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        ...apple,
        ...push,
      }),
  })
}

interface Environments {
  /** The settings with which passes are signed. */
  apple: { readonly [name: string]: string }
  /** The settings of the push service. */
  push: { readonly [name: string]: string }
}

async function startPushPeer(base: ApiTestbed): Promise<Environments> {
  const { directory } = base
  const paths = ensureSandboxCertificates(directory, systemClock.nowMs())
  const port = await freePort()
  const url = { SVC_APPLE_PUSH_URL: 'https://127.0.0.1:' + port }
  const peer = await startServer({
    name: 'push service',
    file: OUTSIDE_PARTIES,
    logFile: join(directory, 'push-peer.log'),
    port,
    environment: { SVC_OUTSIDE_PARTIES: 'push', SVC_DATA_DIR: directory, ...url },
  })
  base.ends(() => peer.stop())
  return {
    apple: {
      SVC_APPLE_PASS_CERT: paths.passCertificate,
      SVC_APPLE_PASS_KEY: paths.passKey,
      SVC_APPLE_PASS_AUTHORITY: paths.authority,
    },
    push: { ...url, SVC_APPLE_PUSH_AUTHORITY: paths.authority },
  }
}

interface Adding {
  base: ApiTestbed
  receiver: Receiver
  keys: MasterKeys
  call: PassTestbed['call']
}

async function addTenant(
  { base: { sql }, receiver, keys, call }: Adding,
  rows: number,
): Promise<PassTenant> {
  const seeded = await seedTenant(sql, 'sandbox')
  const { tenantId, endpointId } = seeded
  const [url = ''] = receiver.urls
  await sql`update webhook_endpoints set url = ${url + '/passes/ok/' + endpointId} where id = ${endpointId}`
  const secret = seal(keys, SEAL_CONTEXTS.webhookSecret, 'whsec_' + randomSecret(24))
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('whs', SEEDED_AT_MS)}, ${endpointId}, 0, ${secret}, ${SEEDED_AT_MS})`
  await widenLimits(sql, [tenantId])
  const named = {
    rows,
    tenantId,
    key: seeded.keys.read,
    writeKey: seeded.keys.write,
    templateId: '',
  }
  const template = await call(named, 'POST', '/v1/pass_templates', TEMPLATE)
  const tenant = { ...named, templateId: String(template['id']) }
  const pass = await call(tenant, 'POST', '/v1/passes', { template_id: tenant.templateId })
  const passes = { table: 'passes', key: 'id', changes: passChanges(rows) }
  await copyRows(sql, { id: String(pass['id']), first: 1, last: rows - 1 }, [passes])
  await sql`delete from pass_counts where tenant_id = ${tenantId}`
  await sql`
    insert into pass_counts (tenant_id, environment, template_id, status, day, count)
    select tenant_id, environment, template_id, status, created_at / 86400000, count(*) from passes
    where tenant_id = ${tenantId} group by 1, 2, 3, 4, 5`
  return tenant
}

/** Made evenly in the days before the first one, in the order of their numbers. */
function passChanges(rows: number): { readonly [column: string]: string } {
  const stepMs = Math.floor((DAYS * 86_400_000) / rows)
  const created = 'o.created_at - (' + rows + ' - n) * ' + stepMs
  return {
    id: "id_floor('pass', " + created + ") || right(o.id, 6) || lpad(to_hex(n), 10, '0')",
    created_at: created,
    updated_at: created,
    changed_at: created,
    status: "case when n % 10 = 0 then 'installed' else o.status end",
    platform: "case when n % 10 = 0 then 'apple' else o.platform end",
  }
}

async function callApi(
  port: number,
  key: string,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<Body> {
  const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
  const asked =
    body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const answer = await fetch('http://127.0.0.1:' + port + path, asked)
  const text = await answer.text()
  if (!answer.ok)
    throw new Error(method + ' ' + path + ' was answered ' + answer.status + ' ' + text)
  return JSON.parse(text) as Body
}
