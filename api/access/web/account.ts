// Changes that signed-in people make to their own account.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../../../shared/html.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
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
import { hashOf } from './generator.ts'
import { proofWorld } from './links.ts'
import { passwordProblem } from './new-password.ts'
import type { PageServices } from './ports.ts'
import { formPrint, LATE, type Problem, proofForm } from './proof.ts'
import { passkeyStepPage } from './proof-view.ts'
import { newSentFormId, sentForm, takeForm } from './sent-form.ts'
import { forgetPerson, type SignedCall, signedIn } from './signed-in.ts'

/** Chosen: as long as a passkey's answer to a page of the account. */
const CHOSEN_MS = 5 * 60_000

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
  const proof = proofForm(call, CHANGE_PASSWORD, null)
  return sendPage(
    reply,
    accountPage({ session, sessions, passkeys, proof, notice, problem, formId: newSentFormId() }),
  )
}

const CHANGE_PASSWORD = 'POST /account/password'

/** With a passkey the change takes two steps: the passkey signs the stored form of the password. */
async function changePassword(call: SignedCall): Promise<FastifyReply> {
  const { request, reply, session } = call
  const { id, email, name } = session.identity
  const chosen = chosenPassword(call)
  if (chosen === null && longFieldOf(request, 'chosen') !== '') return showAccount(call, LATE)
  const password = fieldOf(request, 'new_password')
  const names = [name, ...session.memberships.map(({ tenantName }) => tenantName)]
  const problem = chosen === null ? await passwordProblem(password, { email, names }) : null
  if (problem !== null) return showAccount(call, problem)
  const hashed = chosen ?? (await passwordHash(password))
  if (fieldOf(request, 'by') === 'passkey') return askPasskey(call, hashed)
  const outcome = await changeOwn(call, {
    content: [chosen ?? password],
    change: (sql) => savePassword(sql, { id, passwordHash: hashed }),
  })
  if (typeof outcome !== 'string') return showAccount(call, outcome)
  return reply.redirect('/account?done=password', 303)
}

interface ChosenPassword {
  sessionId: string
  hashed: string
  endsAt: number
}

function askPasskey(call: SignedCall, hashed: string): FastifyReply {
  const { services, request, reply, session } = call
  const endsAt = request.admittedAtMs + CHOSEN_MS
  const chosen: ChosenPassword = { sessionId: session.id, hashed, endsAt }
  const sealed = services.seal(SEAL_CONTEXTS.accountChange, JSON.stringify(chosen))
  const print = formPrint(call, CHANGE_PASSWORD, [hashed])
  const page = {
    title: 'Change the password',
    text: 'Your passkey signs exactly this change. Every other session ends.',
    action: '/account/password',
    proof: proofForm(call, CHANGE_PASSWORD, print),
    fields: html`<input type="hidden" name="chosen" value="${sealed}">`,
    label: 'Change it with a passkey',
  }
  return sendPage(reply, passkeyStepPage(page))
}

/** The stored form of the password of the step before; null without one, or one too old. */
function chosenPassword({ services, request, session }: SignedCall): string | null {
  const opened = services.unseal(SEAL_CONTEXTS.accountChange, longFieldOf(request, 'chosen'))
  if (!opened.ok) return null
  const chosen = JSON.parse(opened.value.toString('utf8')) as ChosenPassword
  const isOurs = chosen.sessionId === session.id && request.admittedAtMs < chosen.endsAt
  return isOurs ? chosen.hashed : null
}

type ProvedPath = Parameters<typeof provedPage>[0]['path']

function showProved(call: SignedCall, path: ProvedPath, problem: Problem | null): FastifyReply {
  const action = 'POST ' + path
  const proof = proofForm(call, action, formPrint(call, action))
  return sendPage(call.reply, provedPage({ path, proof, problem }))
}

async function renewRecoveryCodes(call: SignedCall): Promise<FastifyReply> {
  const { session, reply } = call
  const codes = newRecoveryCodes()
  const outcome = await changeOwn(call, {
    content: [],
    change: (sql) => saveRecoveryCodes(sql, session.identity.id, codes.map(hashOf)),
  })
  if (outcome === 'repeated') return reply.redirect('/account?done=codes', 303)
  if (outcome !== 'made') return showProved(call, '/account/recovery_codes', outcome)
  return sendPage(reply, recoveryPage(codes))
}

/** The authenticator goes only if a passkey stays. */
async function dropGenerator(call: SignedCall): Promise<FastifyReply> {
  const outcome = await changeOwn(call, { content: [], change: (sql) => remove(sql, call) })
  if (typeof outcome !== 'string') return showProved(call, '/account/generator/remove', outcome)
  return call.reply.redirect('/account?done=generator_removed', 303)
}

async function remove(sql: TxSql, { session }: SignedCall): Promise<void> {
  const identity = await lockIdentity(sql, session.identity.id)
  if (!identity.hasPasskeys)
    throw new Unchanged('This is your only second factor. Add a passkey first.')
  await removeGenerator(sql, identity.id)
}

/** Mails the link that confirms the address again, at most three in an hour. */
async function mailLink(call: SignedCall): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const { identity } = session
  if (identity.isVerified) return reply.redirect('/account', 303)
  const world = proofWorld(services, request)
  const form = sentForm(call, [])
  const isFree = await tx(
    services.sql,
    async (sql) => {
      if (!(await takeForm(sql, form))) return true
      const { email } = identity
      if (!(await mayMail(sql, { email, purpose: 'verify' }, world.now))) return false
      await sendVerification(sql, world, identity)
      return true
    },
    request,
  )
  if (isFree) return reply.redirect('/account?done=mailed', 303)
  const sentence = 'Three links went to this address within an hour. Wait, then try again.'
  return showAccount(call, { status: 429, sentence })
}
