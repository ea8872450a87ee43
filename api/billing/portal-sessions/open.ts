// Opens the processor's portal for a person. The processor is called before the transaction; the
// event is recorded only with a session. Spec 6.2, billing.portal_accessed.
import { isIP } from 'node:net'
import { type EpochMs, sleep, unixSeconds } from '../../../shared/clock.ts'
import type {
  OpenedPortalSession,
  PortalSession,
} from '../../../shared/schemas/billing-payment-method.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Context, Owner } from '../../context.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { isAnswered, write } from '../../write/write.ts'
import { ensureCustomer } from '../customers/index.ts'
import { callKey, type Processor, type ProcessorPort } from '../processor/index.ts'
import { type BillingPort, lockOwner, requireBilled } from '../require-billing.ts'

/** Chosen: a person waits this long for the processor, over all calls. */
const WAIT_MS_MAX = 4500
const CHARACTERS_MAX = 2048

export async function openPortalSession(
  context: Context,
  returnUrl: string,
  { billed, processors }: BillingPort & ProcessorPort,
): Promise<OpenedPortalSession> {
  const { sql, principal, now } = context
  const { tenantId, environment } = principal
  requireBilled({ billed }, environment)
  const processor = processors[environment]
  if (processor === null) throw new Refusal('feature_not_enabled')
  const isRepeat = await isAnswered(sql, context)
  const opened = isRepeat ? null : await inTime(sessionAt(context, processor, returnUrl))
  return write(context, async (inner) => {
    if (opened === null) throw new Refusal('dependency_unavailable')
    await lockOwner(inner, principal)
    const id = context.newId('bps')
    const row = { id, tenantId, environment, returnUrl, createdAt: now }
    await insertSession(inner, row)
    const shown = portalSessionView(row)
    await recordEvent(inner, {
      ...{ tenantId, environment, type: 'billing.portal_accessed' as const, now },
      ...{ data: { portal_session: shown }, resourceId: id },
    })
    return { ...shown, url: opened.url }
  })
}

export async function readPortalSession(
  { sql, principal }: Context,
  id: string,
): Promise<PortalSession> {
  const row = await findSession(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return portalSessionView(row)
}

/** Null where the processor did not open one. */
async function sessionAt(
  context: Context,
  processor: Processor,
  returnUrl: string,
): Promise<{ url: string } | null> {
  const customer = await ensureCustomer(context.sql, processor, {
    ...{ owner: context.principal, now: context.now },
    newId: (prefix) => context.newId(prefix),
  })
  if (!customer.ok) return null
  const { processorId } = customer.value
  const key = callKey(context, 'portal')
  const opened = await processor.openPortal({ customer: processorId, returnUrl, key })
  return opened.ok ? opened.value : null
}

/** Null where the work takes too long; its result is then of no use. */
async function inTime<Value>(work: Promise<Value>): Promise<Value | null> {
  const ended = new AbortController()
  const timeout = sleep(WAIT_MS_MAX, ended.signal).then(() => null)
  try {
    return await Promise.race([work, timeout])
  } finally {
    ended.abort()
  }
}

/** Refuses with 400 an address that is not https; in the sandbox this machine may answer http. */
export function requireReturnUrl(text: string, environment: Environment | null): void {
  if (!isReturnUrl(text, environment))
    throw new Refusal('parameter_invalid', {
      param: 'return_url',
      message:
        'return_url is an https address of at most 2048 characters, without a name and password.',
    })
}

function isReturnUrl(text: string, environment: Environment | null): boolean {
  if (text.length > CHARACTERS_MAX || !URL.canParse(text) || /[\s\p{Cc}\\]/u.test(text))
    return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  return protocol === 'http:' && environment !== 'live' && isLoopback(hostname)
}

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true
  return isIP(hostname) === 4 && hostname.startsWith('127.')
}

async function findSession(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<PortalSessionRow | null> {
  const [row] = await sql<PortalSessionRow[]>`
    select id, tenant_id as "tenantId", environment, return_url as "returnUrl",
      created_at as "createdAt"
    from billing_portal_sessions
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

async function insertSession(sql: TxSql, row: PortalSessionRow): Promise<void> {
  await sql`
    insert into billing_portal_sessions (id, tenant_id, environment, return_url, created_at)
    values (${row.id}, ${row.tenantId}, ${row.environment}, ${row.returnUrl}, ${row.createdAt})`
}

interface PortalSessionRow extends Owner {
  id: string
  returnUrl: string
  /** Tenant time. */
  createdAt: EpochMs
}

/** Without the address, which the answer of the call alone shows. */
function portalSessionView(row: PortalSessionRow): PortalSession {
  return {
    id: row.id,
    object: 'portal_session',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    return_url: row.returnUrl,
  }
}
