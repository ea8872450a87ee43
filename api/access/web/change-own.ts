// A change that people make of how they sign in: proved, made, audited, told by mail, every other
// session ended and this one renewed, in one transaction.
import { assert } from '../../../shared/assert.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Evidence } from '../../write/evidence.ts'
import type { Factor } from '../identities/index.ts'
import { type SecurityChange, tellPerson } from '../mails/index.ts'
import { auditPerson } from '../people/index.ts'
import {
  cookieForRepeat,
  endOtherSessions,
  renewSession,
  sessionCookie,
} from '../sessions/index.ts'
import { actionOf, formPrint, type Problem, provePerson, USED } from './proof.ts'
import { sentForm, takeProvedForm, wasSent } from './sent-form.ts'
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

/** A change throws this for a form whose change was made before. */
export class Repeated extends Error {}

/** `repeated`: the same form made the change before. */
export type Outcome = Problem | 'made' | 'repeated'

export interface OwnChange {
  /** Everything that the form changes. A passkey signs it. */
  content: readonly string[]
  /** A factor that the change itself proves, beyond the person's proof. */
  brings?: Factor
  change(sql: TxSql): Promise<void>
}

/** Makes a change by the proof in its form. */
export async function changeOwn(call: SignedCall, own: OwnChange): Promise<Outcome> {
  const { services, request } = call
  const form = sentForm(call, own.content)
  // A reload of the form needs no proof: it changes nothing.
  const isRepeat = (): Promise<boolean> => wasSent(services.sql, form)
  if (await isRepeat()) return repeated(call)
  const proof = await provePerson(call, formPrint(call, actionOf(request), own.content), isRepeat)
  if ('sentence' in proof) return (await isRepeat()) ? repeated(call) : proof
  const { factor, evidence = null } = proof
  return inOneTransaction(call, async (sql) => {
    const taken = await takeProvedForm(sql, proof, form)
    if (taken === 'repeated') throw new Repeated()
    if (taken === 'used') throw new Unchanged(USED.sentence)
    return finishChange(sql, call, {
      ...own,
      factor: factor === 'password' ? (own.brings ?? factor) : factor,
      evidence,
    })
  })
}

/** Makes a change that a step before has proved, with the evidence of that step. */
export function changeProved(
  call: SignedCall,
  change: Omit<Finished, 'factor'> & { brings: Factor },
): Promise<Outcome> {
  return inOneTransaction(call, (sql) =>
    finishChange(sql, call, { ...change, factor: change.brings }),
  )
}

interface Finished {
  factor: Factor
  evidence: Evidence | null
  change(sql: TxSql): Promise<void>
}

/** Returns the token of the renewed session. */
async function finishChange(
  sql: TxSql,
  { services, request, session }: SignedCall,
  { change, factor, evidence }: Finished,
): Promise<string | null> {
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
  const token = await renewSession(sql, session, { factor, now })
  await auditPerson(sql, {
    identityId: session.identity.id,
    action: actionOf(request),
    requestId: request.id,
    address,
    now,
    evidence,
  })
  return token
}

/** The answer of a repeat, with a cookie that goes on: the browser may have lost the first. */
async function repeated({ services, session, request, reply }: SignedCall): Promise<'repeated'> {
  const cookie = await cookieForRepeat(services, request, session)
  if (cookie !== null) reply.header('Set-Cookie', cookie)
  return 'repeated'
}

async function inOneTransaction(
  call: SignedCall,
  work: (sql: TxSql) => Promise<string | null>,
): Promise<Outcome> {
  const { services, session, request, reply } = call
  try {
    const token = await tx(services.sql, work, request)
    if (token !== null) reply.header('Set-Cookie', sessionCookie(request, token))
    return 'made'
  } catch (error) {
    if (error instanceof Repeated) return repeated(call)
    if (error instanceof Unchanged) return { status: 422, sentence: error.message }
    throw error
  } finally {
    forgetPerson(services, session)
  }
}
