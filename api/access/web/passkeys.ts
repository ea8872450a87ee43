// The passkeys of a signed-in person: a new one, and the removal of one. A new passkey takes two
// steps: the person proves who they are, then the device makes the passkey.
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { createOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import { lockIdentity, newRecoveryCodes, saveMissingRecoveryCodes } from '../identities/index.ts'
import {
  ALGORITHMS,
  beginCeremony,
  deletePasskey,
  insertPasskey,
  listPasskeys,
  openCeremony,
  registrationIn,
  takeChallenge,
  verifyRegistration,
} from '../passkeys/index.ts'
import { recoveryPage } from './account-view.ts'
import { changeOwn, changeProved, Unchanged } from './change-own.ts'
import { nameIn } from './forms.ts'
import { hashOf } from './generator.ts'
import { createPage, newPasskeyPage, removePage } from './passkeys-view.ts'
import type { PageServices } from './ports.ts'
import { type Problem, proofForm, provePerson, USED } from './proof.ts'
import { endingPage } from './sign-in-view.ts'
import { type SignedCall, signedIn } from './signed-in.ts'

/** Chosen: more devices than a person has. */
const PASSKEYS_MAX = 20
const USER_HANDLE_BYTES = 32
const NEW = '/account/passkeys/new'

export function registerPasskeys(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    NEW,
    signedIn(services, async (call) => showNew(call, null)),
  )
  pages.post(NEW, signedIn(services, beginPasskey))
  pages.post('/account/passkeys', signedIn(services, addPasskey))
  pages.get(
    '/account/passkeys/:id/remove',
    signedIn(services, (call) => showRemoval(call, null)),
  )
  pages.post('/account/passkeys/:id/remove', signedIn(services, removePasskey))
}

function showNew(call: SignedCall, problem: Problem | null): FastifyReply {
  const name = fieldOf(call.request, 'name')
  const proof = proofForm(call, 'POST ' + NEW)
  return sendPage(call.reply, newPasskeyPage({ action: NEW, name, proof, problem }))
}

/** The first step: takes the proof and shows the page on which the device makes the passkey. */
async function beginPasskey(call: SignedCall): Promise<FastifyReply> {
  const { services, request } = call
  const name = nameIn(fieldOf(request, 'name'))
  if (name === null)
    return showNew(call, { status: 422, sentence: 'Type a name for the passkey, in one line.' })
  const proof = await provePerson(call)
  if ('sentence' in proof) return showNew(call, proof)
  if (!(await tx(services.sql, proof.take, request))) return showNew(call, USED)
  return showCreation(call, name, null)
}

async function showCreation(
  { services, request, reply, session }: SignedCall,
  name: string,
  problem: Problem | null,
): Promise<FastifyReply> {
  const { id: identityId, email, name: displayName } = session.identity
  const known = await listPasskeys(services.sql, identityId)
  const userHandle = known[0]?.userHandle ?? randomBytes(USER_HANDLE_BYTES)
  const { challenge, sealed } = beginCeremony(
    services,
    { purpose: 'register', subject: session.id, userHandle },
    request.admittedAtMs,
  )
  const options = createOptions(partyOf(pagesUrlOf(services)), {
    challenge,
    rpName: 'svc',
    user: { id: userHandle, name: email, displayName },
    algorithms: ALGORITHMS,
    residentKey: 'required',
    excluded: known.map(({ credentialId }) => credentialId),
  })
  const made = { action: '/account/passkeys', kept: [['name', name]] } as const
  return sendPage(reply, createPage({ ...made, name, options, sealed, problem }))
}

/** The second step: keeps the passkey that the device made. */
async function addPasskey(call: SignedCall): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const name = nameIn(fieldOf(request, 'name')) ?? 'Passkey'
  const ceremony = openCeremony(services, longFieldOf(request, 'ceremony'), {
    purpose: 'register',
    subject: session.id,
    now: request.admittedAtMs,
  })
  if (ceremony === null) {
    const sentence = 'This page was open for too long, or belongs to another session. Try again.'
    return showNew(call, { status: 422, sentence })
  }
  const sent = registrationIn((field) => longFieldOf(request, field))
  const party = partyOf(pagesUrlOf(services))
  const made = sent === null ? null : await verifyRegistration(sent, { ...ceremony, party })
  if (made === null) {
    const sentence = 'The device did not make a passkey for this page. Nothing was changed.'
    return showNew(call, { status: 422, sentence })
  }
  const codes = newRecoveryCodes()
  let fresh = false
  const problem = await changeProved(call, async (sql) => {
    const { id: identityId } = await lockIdentity(sql, session.identity.id)
    const known = await listPasskeys(sql, identityId)
    if (known.length >= PASSKEYS_MAX) throw new Unchanged('You have too many passkeys already.')
    if (!(await takeChallenge(sql, ceremony))) throw new Unchanged('This form was sent before.')
    const now = request.admittedAtMs
    const { userHandle } = ceremony
    const passkey = { ...made, id: newId('pky', now), identityId, userHandle, name, createdAt: now }
    if (!(await insertPasskey(sql, passkey))) throw new Unchanged('This passkey is known already.')
    fresh = await saveMissingRecoveryCodes(sql, identityId, codes.map(hashOf))
  })
  if (problem !== null) return showNew(call, problem)
  return fresh ? sendPage(reply, recoveryPage(codes)) : reply.redirect('/account?done=passkey', 303)
}

async function showRemoval(call: SignedCall, problem: Problem | null): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const { id } = request.params as { id: string }
  const known = await listPasskeys(services.sql, session.identity.id)
  const passkey = known.find((each) => each.id === id)
  if (passkey === undefined) return sendPage(reply, endingPage('closed'))
  const proof = proofForm(call, 'POST /account/passkeys/:id/remove')
  return sendPage(reply, removePage({ passkey, proof, problem }))
}

async function removePasskey(call: SignedCall): Promise<FastifyReply> {
  const { id } = call.request.params as { id: string }
  const problem = await changeOwn(call, (sql) => removeUnlessLast(sql, call, id))
  if (problem !== null) return showRemoval(call, problem)
  return call.reply.redirect('/account?done=passkey_removed', 303)
}

/** The last passkey goes only if password and authenticator stay. */
async function removeUnlessLast(sql: TxSql, { session }: SignedCall, id: string): Promise<void> {
  const identity = await lockIdentity(sql, session.identity.id)
  const others = (await listPasskeys(sql, identity.id)).filter((each) => each.id !== id)
  if (others.length === 0 && (identity.passwordHash === null || identity.totpSealed === null))
    throw new Unchanged(
      'This is your only second factor. Add another passkey or an authenticator first.',
    )
  if (!(await deletePasskey(sql, { id, identityId: identity.id })))
    throw new Unchanged('You have no such passkey.')
}
