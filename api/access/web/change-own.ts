// A change that people make of how they sign in: proved, made, audited, told by mail, and every
// other session ended, in one transaction.
import { assert } from '../../../shared/assert.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { lockIdentity } from '../identities/index.ts'
import { type SecurityChange, tellPerson } from '../mails/index.ts'
import { auditPerson } from '../people/index.ts'
import { endOtherSessions } from '../sessions/index.ts'
import { actionOf, type Problem, provePerson, USED } from './proof.ts'
import type { SignedCall } from './signed-in.ts'
import { forgetPerson } from './signed-in.ts'

/** The mail about each change. */
const NOTICES: { readonly [action: string]: SecurityChange } = {
  'POST /account/password': 'password',
  'POST /account/generator': 'generator',
  'POST /account/generator/remove': 'generator_removed',
  'POST /account/recovery_codes': 'recovery_codes',
  'POST /account/passkeys': 'passkey',
  'POST /account/passkeys/:id/remove': 'passkey_removed',
}

/** A change throws this to be rolled back with the use of its proof. */
export class Unchanged extends Error {}

/** Returns null, or the reason why nothing was changed. */
export async function changeOwn(
  call: SignedCall,
  change: (sql: TxSql) => Promise<void>,
): Promise<Problem | null> {
  const proof = await provePerson(call)
  if ('sentence' in proof) return proof
  return inOneTransaction(call, async (sql) => {
    // Two changes of one person come one after the other, also where both prove by a passkey.
    await lockIdentity(sql, call.session.identity.id)
    if (!(await proof.take(sql))) return USED
    await finishChange(sql, call, change)
    return null
  })
}

/** Makes a change that a step before has proved. */
export function changeProved(
  call: SignedCall,
  change: (sql: TxSql) => Promise<void>,
): Promise<Problem | null> {
  return inOneTransaction(call, async (sql) => {
    await finishChange(sql, call, change)
    return null
  })
}

async function finishChange(
  sql: TxSql,
  { services, request, session }: SignedCall,
  change: (sql: TxSql) => Promise<void>,
): Promise<void> {
  const { admittedAtMs: now, clientAddress: address } = request
  await change(sql)
  const notice = NOTICES[actionOf(request)]
  assert(notice !== undefined, 'every change has its mail')
  await tellPerson(
    sql,
    { seal: services.seal, now },
    { ...session.identity, change: notice, address },
  )
  await endOtherSessions(sql, { identityId: session.identity.id, keptId: session.id })
  await auditPerson(sql, {
    identityId: session.identity.id,
    action: actionOf(request),
    requestId: request.id,
    address,
    now,
  })
}

async function inOneTransaction(
  { services, session, request }: SignedCall,
  work: (sql: TxSql) => Promise<Problem | null>,
): Promise<Problem | null> {
  try {
    return await tx(services.sql, work, request)
  } catch (error) {
    if (error instanceof Unchanged) return { status: 422, sentence: error.message }
    throw error
  } finally {
    forgetPerson(services, session)
  }
}
