// Changes that signed-in people make to their own account.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { tx } from '../../database/transaction.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import {
  lockIdentity,
  newRecoveryCodes,
  passwordHash,
  removeGenerator,
  savePassword,
  saveRecoveryCodes,
} from '../identities/index.ts'
import { listPasskeys } from '../passkeys/index.ts'
import { mayMail, sendVerification } from '../proofs/index.ts'
import { endOtherSessions, endSession, IDLE_MS, listSessions } from '../sessions/index.ts'
import { accountPage, isNotice, provedPage, recoveryPage } from './account-view.ts'
import { changeOwn, Unchanged } from './change-own.ts'
import { passwordProblem } from './forms.ts'
import { hashOf } from './generator.ts'
import { proofWorld } from './links.ts'
import type { PageServices } from './ports.ts'
import { type Problem, proofForm } from './proof.ts'
import { forgetPerson, type SignedCall, signedIn } from './signed-in.ts'

export function registerAccount(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    '/account',
    signedIn(services, (call) => showAccount(call, null)),
  )
  pages.post('/account/password', signedIn(services, changePassword))
  for (const path of ['/account/recovery_codes', '/account/generator/remove'] as const)
    pages.get(
      path,
      signedIn(services, async (call) => showProved(call, path, null)),
    )
  pages.post('/account/recovery_codes', signedIn(services, renewRecoveryCodes))
  pages.post('/account/generator/remove', signedIn(services, dropGenerator))
  pages.post('/account/verify', signedIn(services, mailLink))
  pages.post(
    '/account/sessions/:id/end',
    signedIn(services, async ({ request, reply, session }) => {
      const { id } = request.params as { id: string }
      const own = { id, identityId: session.identity.id }
      await tx(services.sql, (sql) => endSession(sql, own), request)
      forgetPerson(services, session)
      return reply.redirect('/account?done=session', 303)
    }),
  )
  pages.post(
    '/account/sessions/end_others',
    signedIn(services, async ({ request, reply, session }) => {
      const others = { identityId: session.identity.id, keptId: session.id }
      await tx(services.sql, (sql) => endOtherSessions(sql, others), request)
      forgetPerson(services, session)
      return reply.redirect('/account?done=sessions', 303)
    }),
  )
}

async function showAccount(call: SignedCall, problem: Problem | null): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const { done } = request.query as { done?: unknown }
  const notice = problem === null && isNotice(done) ? done : null
  const now = request.admittedAtMs
  const own = { identityId: session.identity.id, now, idleMs: IDLE_MS }
  const sessions = await listSessions(services.sql, own)
  const passkeys = await listPasskeys(services.sql, session.identity.id)
  const proof = proofForm(call, 'POST /account/password')
  return sendPage(reply, accountPage({ session, sessions, passkeys, proof, notice, problem }))
}

async function changePassword(call: SignedCall): Promise<FastifyReply> {
  const { request, reply, session } = call
  const { id, email } = session.identity
  const password = fieldOf(request, 'new_password')
  const sentence = passwordProblem(password, email)
  if (sentence !== null) return showAccount(call, { status: 422, sentence })
  const hashed = await passwordHash(password)
  const problem = await changeOwn(call, (sql) => savePassword(sql, { id, passwordHash: hashed }))
  if (problem !== null) return showAccount(call, problem)
  return reply.redirect('/account?done=password', 303)
}

type ProvedPath = Parameters<typeof provedPage>[0]['path']

function showProved(call: SignedCall, path: ProvedPath, problem: Problem | null): FastifyReply {
  return sendPage(call.reply, provedPage({ path, proof: proofForm(call, 'POST ' + path), problem }))
}

async function renewRecoveryCodes(call: SignedCall): Promise<FastifyReply> {
  const { session, reply } = call
  const codes = newRecoveryCodes()
  const problem = await changeOwn(call, (sql) =>
    saveRecoveryCodes(sql, session.identity.id, codes.map(hashOf)),
  )
  if (problem !== null) return showProved(call, '/account/recovery_codes', problem)
  return sendPage(reply, recoveryPage(codes))
}

/** The authenticator goes only if a passkey stays. */
async function dropGenerator(call: SignedCall): Promise<FastifyReply> {
  const problem = await changeOwn(call, async (sql) => {
    const identity = await lockIdentity(sql, call.session.identity.id)
    if (!identity.hasPasskeys)
      throw new Unchanged('This is your only second factor. Add a passkey first.')
    await removeGenerator(sql, identity.id)
  })
  if (problem !== null) return showProved(call, '/account/generator/remove', problem)
  return call.reply.redirect('/account?done=generator_removed', 303)
}

/** Mails the link that confirms the address again, at most three in an hour. */
async function mailLink(call: SignedCall): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const { identity } = session
  if (identity.isVerified) return reply.redirect('/account', 303)
  const world = proofWorld(services, request)
  const isFree = await tx(
    services.sql,
    async (sql) => {
      if (!(await mayMail(sql, identity.email, world.now))) return false
      await sendVerification(sql, world, identity)
      return true
    },
    request,
  )
  if (isFree) return reply.redirect('/account?done=mailed', 303)
  const sentence = 'Three links went to this address within an hour. Wait, then try again.'
  return showAccount(call, { status: 429, sentence })
}
