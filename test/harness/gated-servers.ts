// Servers of the API with routes made for a test, over one database, like several processes: each
// has its own credential cache with its listener, its own counts and its own pool.
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CREDENTIAL_CHANNEL, Credentials } from '../../api/access/credentials/credentials.ts'
import { AwaitedMigrations } from '../../api/database/awaited-migrations.ts'
import { DatabaseWatchdog } from '../../api/database/database-watchdog.ts'
import { listenTo } from '../../api/database/listener.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { operatorRoute, type Route, route } from '../../api/http/route.ts'
import { createServer } from '../../api/http/server.ts'
import { Feed } from '../../api/issuing/feed/index.ts'
import type { Services } from '../../api/routes.ts'
import { apiKeyHash, newOperatorKey } from '../../shared/api-key.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import type { ConnectionSlots } from '../../shared/connection-slots.ts'
import { newId } from '../../shared/id.ts'
import { createLog } from '../../shared/log.ts'
import { Type } from '../../shared/schema-builders.ts'
import { patientClock } from './patient-clock.ts'
import { openTestDatabase, type Teardown, type TestDatabase } from './postgres.ts'
import { until } from './until.ts'

const OK = async (): Promise<{ ok: true }> => ({ ok: true })
const answer = Type.Object({ ok: Type.Literal(true) })
const summary = 'Answers.'

/** One route of each kind that the gates distinguish. */
export const PROBES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/probe'],
    scope: 'read',
    family: 'card',
    summary,
    answer,
    run: OK,
  }),
  route({ method: 'POST', paths: ['/v1/probe'], scope: 'write', summary, answer, run: OK }),
  route({ method: 'DELETE', paths: ['/v1/probe'], scope: 'admin', summary, answer, run: OK }),
  route({
    method: 'GET',
    paths: ['/v1/probe/count'],
    scope: 'read',
    bucket: 'count',
    summary,
    answer,
    run: OK,
  }),
  route({
    method: 'GET',
    paths: ['/v1/page'],
    scope: 'read',
    publishable: true,
    summary,
    answer,
    run: OK,
  }),
  route({
    method: 'POST',
    paths: ['/v1/page'],
    scope: 'write',
    publishable: true,
    summary,
    answer,
    run: OK,
  }),
  route({
    method: 'POST',
    paths: ['/v1/wipe'],
    scope: 'admin',
    sandboxOnly: true,
    summary,
    answer,
    run: OK,
  }),
  route({
    method: 'GET',
    paths: ['/v1/broken'],
    scope: 'read',
    summary,
    answer,
    run: async () => {
      throw new Error('broken')
    },
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/v1/console/:id'],
    summary,
    params: Type.Object({ id: Type.String() }),
    answer: Type.Object({ operator: Type.String() }),
    run: async (context) => ({ operator: context.operatorId }),
  }),
]

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  body: any
}

export interface GatedServer {
  port: number
  credentials: Credentials
  slots: ConnectionSlots
  call(path: string, call?: ProbeCall): Promise<Reply>
}

export interface ProbeCall {
  method?: string
  key?: string
  headers?: { [name: string]: string }
  raw?: string
  /** An agent of its own, where connections are counted. */
  agent?: Agent
}

/** Starts `count` servers; each serves once it listens for changed credentials. */
export async function startGatedServers(
  t: Teardown,
  count: number,
  change: Partial<Services> = {},
): Promise<{ database: TestDatabase; servers: GatedServer[] }> {
  const database = await openTestDatabase(t)
  const servers: GatedServer[] = []
  for (let index = 0; index < count; index++) servers.push(await startOne(t, database, change))
  return { database, servers }
}

async function startOne(
  t: Teardown,
  database: TestDatabase,
  change: Partial<Services>,
): Promise<GatedServer> {
  const clock: Clock = change.clock ?? systemClock
  const sql = openPool(database.url, { max: 4, applicationName: 'svc-test-gates' })
  const credentials = new Credentials(sql, clock)
  let heard = false
  const listener = listenTo({
    databaseUrl: database.url,
    channel: CREDENTIAL_CHANNEL,
    onListening: () => {
      heard = true
      credentials.listening()
    },
    onDeaf: () => credentials.deaf(),
    onNotify: (payload) => credentials.forget(payload),
  })
  const log = createLog({ name: 'api', level: 'silent' })
  const services = {
    sql,
    migrations: new AwaitedMigrations({ sql, clock, log }),
    watch: { reason: null },
    pulse: new DatabaseWatchdog({ clock: patientClock, ask: () => sql`select 1`.then(() => true) }),
    credentials,
    feed: new Feed({ sql, clock, log }),
    trustedProxies: [],
    operatorCidrs: [],
    identitySecrets: [],
    processorSecrets: { sandbox: [], live: [] },
    apple: null,
    google: null,
    walletThreads: { close: async () => {} },
    tls: null,
    installation: 'live',
    twoOperators: false,
    authUrl: null,
    publicUrl: 'https://svc.test',
    docsUrl: 'https://svc.test/docs',
    clock,
    log,
    ...change,
  } as object as Services
  const server = createServer(services, PROBES)
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  t.teardown(async () => {
    agent.destroy()
    server.server.closeAllConnections()
    await server.close()
    await listener.close()
    await sql.end({ timeout: 1 })
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  await until(() => heard)
  const { port } = server.server.address() as AddressInfo
  const slots = server.connectionSlots
  return {
    port,
    credentials,
    slots,
    call: (path, call = {}) => send(port, path, { agent, ...call }),
  }
}

function send(port: number, path: string, call: ProbeCall): Promise<Reply> {
  const { method = 'GET', key, headers = {}, raw, agent } = call
  const credential: { [name: string]: string } =
    key === undefined ? {} : { authorization: 'Bearer ' + key }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, agent, headers: { ...credential, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => {
          const json = response.headers['content-type']?.startsWith('application/json') ?? false
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: json && text !== '' ? JSON.parse(text) : null,
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(raw)
  })
}

/** An operator and its credential. */
export async function seedOperator(sql: Sql): Promise<{ operatorId: string; key: string }> {
  const key = newOperatorKey()
  const operatorId = newId('op', systemClock.nowMs())
  await sql`
    insert into operators (id, name, hash, last4, created_at)
    values (${operatorId}, 'Ada', ${apiKeyHash(key)}, ${key.slice(-4)}, ${systemClock.nowMs()})`
  return { operatorId, key }
}
