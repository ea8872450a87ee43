// Another second factor for an owner in live, given by an operator: it waits a day, every owner of
// the person's tenants is told, and each of them can cancel it. Nobody takes a tenant over by
// persuading one operator.
import { hash } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import { newId, randomSecret } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'
import { findTenant } from '../../platform/tenants/index.ts'
import { appendAudit } from '../../write/audit.ts'
import { lockIdentity, saveFactor } from '../identities/index.ts'
import { type MailWorld, writeMail } from '../mails/index.ts'
import { deletePasskeys } from '../passkeys/index.ts'
import { listMemberships, listOwners, type PersonRow } from '../people/index.ts'
import { endOtherSessions } from '../sessions/index.ts'
import {
  deleteResets,
  insertReset,
  lockDueReset,
  lockReset,
  type ResetRow,
  saveApplied,
  saveCancelled,
} from './resets-store.ts'

const TOKEN_BYTES = 32
const RESET_WAITS_MS = 24 * 3_600_000
const KEPT_MS = 30 * 24 * 3_600_000

/** The new second factor, as it is kept. */
interface KeptFactor {
  totpSealed: string
  recoveryHashes: readonly Buffer[]
}

/**
 * Records the reset and tells the owners of the tenants that it concerns. Returns the moment from
 * which it works. Refuses with 409 while another one waits.
 */
export async function beginReset(
  sql: TxSql,
  world: MailWorld & { pagesUrl: string },
  {
    person,
    concerned,
    kept,
    operatorId,
  }: {
    person: PersonRow
    /** Result of `concernedMembers`. */
    concerned: readonly Member[]
    kept: KeptFactor
    operatorId: string
  },
): Promise<EpochMs> {
  const { now } = world
  const token = randomSecret(TOKEN_BYTES)
  const worksAt = now + RESET_WAITS_MS
  const { id: personId, tenantId, identityId } = person
  const recoveryHashes = kept.recoveryHashes.map((code) => code.toString('hex'))
  const factor = { totpSealed: kept.totpSealed, recoveryHashes }
  const reset = { id: newId('frs', now), tenantId, personId, identityId, operatorId, ...factor }
  if (
    !(await insertReset(sql, { ...reset, cancelHash: resetHash(token), createdAt: now, worksAt }))
  )
    throw new Refusal('already_exists', { message: 'A reset of this person waits already.' })
  const link = world.pagesUrl + '/factor_resets/' + token
  for (const member of concerned) {
    const tenant = (await findTenant(sql, member.tenantId))?.name ?? ''
    for (const { email: to, name } of await listOwners(sql, member.tenantId)) {
      const fields = { link, name, tenant, person: person.name, worksAt }
      await writeMail(sql, world, { to, template: 'factor_reset_waits', fields })
    }
  }
  return worksAt
}

type Member = Pick<PersonRow, 'id' | 'tenantId'>

/** The named membership, and each in which its person is an owner. */
export async function concernedMembers(
  sql: TxSql,
  { id, tenantId, identityId }: Member & Pick<PersonRow, 'identityId'>,
): Promise<Member[]> {
  const others = (await listMemberships(sql, identityId)).filter(
    (other) => other.id !== id && other.role === 'owner' && other.state === 'active',
  )
  // The logs of tenants are locked in one order.
  return [{ id, tenantId }, ...others].toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
}

/** The stored form of a token: a bare hash is enough for 256 random bits. */
export function resetHash(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Cancels a reset that waits; false if there is none any more. */
export async function cancelReset(
  sql: TxSql,
  call: {
    cancelHash: Buffer
    /** The owner of the named tenant who is signed in; null: a mailed link alone proves it. */
    by: string | null
    requestId: string
    address: string | null
    now: EpochMs
  },
): Promise<boolean> {
  const { cancelHash, by, now, requestId, address } = call
  const reset = await lockReset(sql, { cancelHash, now })
  if (reset === null) return false
  await saveCancelled(sql, { id: reset.id, by, now })
  for (const { id, tenantId } of await concernedBy(sql, reset)) {
    const row = { id: newId('aud', now), tenantId, createdAt: now, resourceId: id }
    await appendAudit(sql, {
      ...{ ...row, environment: 'live', requestId, address },
      ...{ actorType: 'person', actorId: tenantId === reset.tenantId ? by : null },
      action: 'POST /factor_resets/:token',
    })
  }
  return true
}

function concernedBy(
  sql: TxSql,
  { personId: id, tenantId, identityId }: ResetRow,
): Promise<Member[]> {
  return concernedMembers(sql, { id, tenantId, identityId })
}

/** Applies resets whose day is over: the factors of before end, and every session. */
export const applyFactorResets: Job = {
  name: 'apply_factor_resets',
  every: 10_000,
  lease: 60_000,
  batch: 100,
  run: rowByRow(async (sql, now) => {
    const reset = await lockDueReset(sql, now)
    if (reset === null) return false
    const { id, identityId, operatorId, totpSealed, recoveryHashes } = reset
    await lockIdentity(sql, identityId)
    const hashes = recoveryHashes.map((code) => Buffer.from(code, 'hex'))
    await saveFactor(sql, { identityId, totpSealed, recoveryHashes: hashes })
    await deletePasskeys(sql, identityId)
    await endOtherSessions(sql, { identityId, keptId: null })
    await saveApplied(sql, { id, now })
    for (const member of await concernedBy(sql, reset)) {
      const { id: resourceId, tenantId } = member
      const row = { id: newId('aud', now), tenantId, createdAt: now, resourceId }
      await appendAudit(sql, {
        ...{ ...row, environment: 'live', requestId: null, address: null },
        ...{ actorType: 'operator', actorId: operatorId, action: 'factor_reset_applied' },
      })
    }
    return true
  }),
}

/** A month after its end a reset goes. */
export const purgeFactorResets: Job = {
  name: 'purge_factor_resets',
  every: 60_000,
  lease: 60_000,
  batch: 1000,
  run: ({ sql, now, batch }) => deleteResets(sql, { before: now - KEPT_MS, max: batch }),
}
