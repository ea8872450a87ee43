// Every SQL statement about passkeys. They belong to an identity and to no tenant.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface PasskeyRow {
  id: string
  identityId: string
  credentialId: Buffer
  userHandle: Buffer
  /** COSE key. */
  publicKey: Buffer
  counter: number
  transports: string[]
  /** `multiDevice`: the system copies the passkey to other devices. */
  deviceType: 'singleDevice' | 'multiDevice'
  backedUp: boolean
  name: string
  createdAt: EpochMs
  lastUsedAt: EpochMs | null
}

function columns(sql: SqlTag) {
  return sql`
    id, identity_id as "identityId", credential_id as "credentialId", user_handle as "userHandle",
    public_key as "publicKey", counter, transports, device_type as "deviceType",
    backed_up as "backedUp", name, created_at as "createdAt", last_used_at as "lastUsedAt"`
}

export async function listPasskeys(sql: SqlTag, identityId: string): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`
    select ${columns(sql)} from passkeys where identity_id = ${identityId} order by id limit 100`
}

/** The passkey with this credential, of any person; null if there is none. */
export async function findPasskey(
  sql: SqlTag,
  credentialId: Uint8Array,
): Promise<PasskeyRow | null> {
  const [row] = await sql<PasskeyRow[]>`
    select ${columns(sql)} from passkeys where credential_id = ${credentialId}`
  return row ?? null
}

/** Returns false and changes nothing if somebody has the credential already. */
export async function insertPasskey(
  sql: TxSql,
  passkey: Omit<PasskeyRow, 'lastUsedAt'>,
): Promise<boolean> {
  const { id, identityId, credentialId, userHandle, publicKey, counter, transports } = passkey
  const { deviceType, backedUp, name, createdAt } = passkey
  const made = await sql`
    insert into passkeys (id, identity_id, credential_id, user_handle, public_key, counter, transports,
      device_type, backed_up, name, created_at)
    values (${id}, ${identityId}, ${credentialId}, ${userHandle}, ${publicKey}, ${counter}, ${transports},
      ${deviceType}, ${backedUp}, ${name}, ${createdAt})
    on conflict do nothing returning 1`
  return made.length > 0
}

/** Returns false if the person has no such passkey. */
export async function deletePasskey(
  sql: TxSql,
  { id, identityId }: { id: string; identityId: string },
): Promise<boolean> {
  const gone = await sql`
    delete from passkeys where id = ${id} and identity_id = ${identityId} returning 1`
  return gone.length > 0
}

/** Removes every passkey of a person. */
export async function deletePasskeys(sql: TxSql, identityId: string): Promise<void> {
  await sql`delete from passkeys where identity_id = ${identityId}`
}

/**
 * Records a use; returns false if the passkey was removed or its person disabled meanwhile. Neither
 * changes before the transaction ends.
 */
export async function takePasskey(
  sql: TxSql,
  use: { id: string; counter: number; backedUp: boolean; now: EpochMs },
): Promise<boolean> {
  const used = await sql`
    update passkeys p set counter = ${use.counter}, backed_up = ${use.backedUp}, last_used_at = ${use.now}
    from (
      select i.id from identities i join passkeys k on k.identity_id = i.id
      where k.id = ${use.id} and i.state = 'active' for share of i
    ) person
    where p.id = ${use.id} and p.identity_id = person.id returning 1`
  return used.length > 0
}

/** True if the challenge was answered before. */
export async function isTaken(
  sql: SqlTag,
  { challenge }: { challenge: Uint8Array },
): Promise<boolean> {
  const [row] = await sql`
    select 1 from webauthn_challenges where hash = ${hash('sha256', challenge, 'buffer')}`
  return row !== undefined
}

/** Marks a challenge as answered; returns false if it was answered before. */
export async function takeChallenge(
  sql: TxSql,
  { challenge, expiresAt }: { challenge: Uint8Array; expiresAt: EpochMs },
): Promise<boolean> {
  const taken = await sql`
    insert into webauthn_challenges (hash, expires_at)
    values (${hash('sha256', challenge, 'buffer')}, ${expiresAt})
    on conflict do nothing returning 1`
  return taken.length > 0
}
