// A dispatcher as a child process, with the tenants, endpoints and recorded events it delivers.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { recordEvent } from '../../api/webhooks/events/index.ts'
import { systemClock } from '../../shared/clock.ts'
import type { EventType } from '../../shared/event-catalog.ts'
import { newId } from '../../shared/id.ts'
import {
  type MasterKeys,
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  seal,
} from '../../shared/keyring.ts'
import { COMPILED } from './compiled.ts'

export const DISPATCHER = new URL('../../api/dispatcher.ts', import.meta.url).pathname
const READY_MS_MAX = 300_000

const MASTER_KEY_TEXT = newMasterKeyText()
const MASTER_KEYS = masterKeys(MASTER_KEY_TEXT)

function masterKeys(text: string): MasterKeys {
  const parsed = parseMasterKeys(text, false)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

export interface DispatcherProcess {
  child: ChildProcess
  exited: Promise<{ code: number | null; signal: string | null }>
  /** The lines it logged so far. */
  log(): string
}

/** Starts one against the database; resolves when it says that it is ready. */
export async function startDispatcher(
  databaseUrl: string,
  environment: { [name: string]: string } = {},
): Promise<DispatcherProcess> {
  const child = spawn(process.execPath, [DISPATCHER], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...COMPILED,
      DATABASE_URL: databaseUrl,
      SVC_MASTER_KEY: MASTER_KEY_TEXT,
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      SVC_WEBHOOK_RETRY_DELAYS: '0,50ms,50ms,50ms,50ms',
      ...environment,
    },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  }
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  await new Promise<void>((resolve, reject) => {
    const late = systemClock.after(READY_MS_MAX, () => reject(new Error('not ready: ' + text)))
    child.once('message', () => {
      late.cancel()
      resolve()
    })
    // Its last line may arrive after its exit.
    child.once('close', () => {
      late.cancel()
      reject(new Error('ended before it was ready: ' + text))
    })
  })
  return { child, exited, log: () => text }
}

/** SIGKILL gives it no chance to clean up. */
export async function killDispatcher(dispatcher: DispatcherProcess): Promise<void> {
  dispatcher.child.kill('SIGKILL')
  await dispatcher.exited
}

export async function addTenant(sql: Sql): Promise<string> {
  const id = newId('ten', systemClock.nowMs())
  await sql`
    insert into tenants (id, name, api_version, created_at)
    values (${id}, 'A tenant', '2026-11-20', ${systemClock.nowMs()})
  `
  return id
}

export interface NewEndpoint {
  tenantId: string
  url: string
  environment?: string
  /** Null: all. */
  eventTypes?: EventType[] | null
  secretCount?: number
}

/** An enabled endpoint with its secrets, old first. */
export async function addEndpoint(
  sql: Sql,
  endpoint: NewEndpoint,
): Promise<{ id: string; secrets: string[] }> {
  const now = systemClock.nowMs()
  const id = newId('we', now)
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, event_types, created_at)
    values (
      ${id}, ${endpoint.tenantId}, ${endpoint.environment ?? 'sandbox'}, ${endpoint.url},
      ${endpoint.eventTypes ?? null}, ${now}
    )
  `
  const secrets = Array.from(
    { length: endpoint.secretCount ?? 1 },
    () => 'whsec_' + randomBytes(32).toString('base64'),
  )
  for (const [slot, secret] of secrets.entries()) {
    const sealed = seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, secret)
    await sql`
      insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
      values (${newId('whs', now)}, ${id}, ${slot}, ${sealed}, ${now})
    `
  }
  return { id, secrets }
}

/** Records `count` events in one transaction each; returns their ids in order. */
export async function recordEvents(
  sql: Sql,
  event: { tenantId: string; count: number; type?: EventType; environment?: string },
): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < event.count; made++) {
    const { tenantId, environment = 'sandbox', type = 'card.activated' } = event
    const id = await tx(sql, async (inner) => {
      await recordEvent(inner, {
        ...{ tenantId, environment, type, resourceId: 'card_' + made, now: systemClock.nowMs() },
        data: { card: { id: 'card_' + made, name: 'Zoë “√”', amount_cents: 1e15 } },
      })
      // The sequence is locked: no later event is there.
      const [newest] = await inner<{ id: string }[]>`
        select id from events where tenant_id = ${tenantId} and environment = ${environment}
        order by seq desc limit 1`
      return newest?.id ?? ''
    })
    ids.push(id)
  }
  return ids
}
