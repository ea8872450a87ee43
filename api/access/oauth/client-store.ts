// Every SQL statement about platforms. They belong to the installation, so no statement names an
// owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { OauthClient } from '../../../shared/schemas/oauth.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ClientRow } from './client-view.ts'

/** A platform as the library sees it. */
export interface ActiveClient
  extends Pick<ClientRow, 'id' | 'name' | 'kind' | 'applicationType' | 'redirectUris' | 'scopes'> {
  environment: ClientRow['environment']
  secretHash: Buffer | null
  /** The secret before the last rotation, while it works. */
  oldSecretHash: Buffer | null
}

function clientColumns(sql: SqlTag) {
  return sql`
    id, environment, name, kind, application_type as "applicationType",
    redirect_uris as "redirectUris", scopes, last4, old_secret_until as "oldSecretUntil", state,
    created_at as "createdAt"`
}

/** Null for a platform that is unknown or disabled. */
export async function findActiveClient(
  sql: SqlTag,
  { id, now }: { id: string; now: EpochMs },
): Promise<ActiveClient | null> {
  const [row] = await sql<ActiveClient[]>`
    select id, environment, name, kind, application_type as "applicationType",
      redirect_uris as "redirectUris", scopes, secret_hash as "secretHash",
      case when old_secret_until > ${now}::bigint then old_secret_hash end as "oldSecretHash"
    from oauth_clients where id = ${id} and state = 'active'`
  return row ?? null
}

export async function findClientRow(sql: SqlTag, id: string): Promise<ClientRow | null> {
  const [row] = await sql<ClientRow[]>`
    select ${clientColumns(sql)} from oauth_clients where id = ${id}`
  return row ?? null
}

/** Locks the platform until the transaction ends. */
export async function lockClientRow(sql: TxSql, id: string): Promise<ClientRow | null> {
  const [row] = await sql<ClientRow[]>`
    select ${clientColumns(sql)} from oauth_clients where id = ${id} for no key update`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listClients(
  sql: SqlTag,
  query: PageQuery & CreatedFilters & { status?: OauthClient['status'] },
): Promise<PageRows<ClientRow>> {
  const { status } = query
  return readPage<ClientRow>(sql, query, {
    list: 'oauth_clients',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ClientRow[]>`
      select ${clientColumns(sql)} from oauth_clients
      where ${range} ${createdWithin(sql, query)}
        ${status === undefined ? sql`` : sql`and state = ${status}`} ${ordered}`,
  })
}

export async function insertClient(
  sql: TxSql,
  client: Omit<ClientRow, 'state' | 'oldSecretUntil'> & { secretHash: Buffer | null },
): Promise<ClientRow> {
  const { id, environment, name, kind, applicationType, secretHash, last4, createdAt } = client
  await sql`
    insert into oauth_clients (
      id, environment, name, kind, application_type, redirect_uris, scopes, secret_hash, last4,
      created_at
    ) values (
      ${id}, ${environment}, ${name}, ${kind}, ${applicationType},
      ${[...client.redirectUris]}::text[], ${[...client.scopes]}::text[], ${secretHash}, ${last4},
      ${createdAt}
    )`
  return reread(sql, id)
}

export async function saveClient(sql: TxSql, client: ClientRow): Promise<ClientRow> {
  await sql`
    update oauth_clients set name = ${client.name},
      redirect_uris = ${[...client.redirectUris]}::text[], scopes = ${[...client.scopes]}::text[],
      state = ${client.state}
    where id = ${client.id}`
  return reread(sql, client.id)
}

/** The present secret becomes the old one, until the given moment. */
export async function saveSecret(
  sql: TxSql,
  secret: { id: string; hash: Buffer; last4: string; oldUntil: EpochMs },
): Promise<ClientRow> {
  await sql`
    update oauth_clients set old_secret_hash = secret_hash, old_secret_until = ${secret.oldUntil},
      secret_hash = ${secret.hash}, last4 = ${secret.last4}
    where id = ${secret.id}`
  return reread(sql, secret.id)
}

async function reread(sql: TxSql, id: string): Promise<ClientRow> {
  const row = await findClientRow(sql, id)
  assert(row !== null, 'a saved platform is there')
  return row
}
