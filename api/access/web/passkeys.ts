// The passkeys of a signed-in person: a new one, and the removal of one. A new passkey takes two
// steps: the person proves who they are, then the device makes the passkey.
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../../../shared/html.ts'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { createOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import type { Evidence } from '../../write/evidence.ts'
import {
  isOnlyOperator,
  lockIdentity,
  newRecoveryCodes,
  saveMissingRecoveryCodes,
} from '../identities/index.ts'
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
import { changeOwn, changeProved, Repeated, Unchanged } from './change-own.ts'
import { nameIn, refusalOf } from './forms.ts'
import { hashOf } from './generator.ts'
import { createPage, newPasskeyPage, removePage } from './passkeys-view.ts'
import type { PageServices } from './ports.ts'
import { formPrint, type Problem, proofForm, provePerson, USED } from './proof.ts'
import { passkeyStepPage } from './proof-view.ts'
import { sentForm, takeForm, wasSent } from './sent-form.ts'
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
  const proof = proofForm(call, 'POST ' + NEW, null)
  return sendPage(call.reply, newPasskeyPage({ action: NEW, name, proof, problem }))
}

/** The first step: takes the proof and shows the page on which the device makes the passkey. */
async function beginPasskey(call: SignedCall): Promise<FastifyReply> {
  const { services, request } = call
  const typed = fieldOf(request, 'name')
  const name = nameIn(typed)
  if (name === null) {
    const sentence = refusalOf(typed, 'Type a name for the passkey, in one line.')
    return showNew(call, { status: 422, sentence })
  }
  const print = formPrint(call, 'POST ' + NEW, [name])
  if (fieldOf(request, 'by') === 'passkey') return askPasskey(call, name, print)
  // This form's repeat shows the page of the first: only the same proof makes it a repeat.
  const [code, signature] = [fieldOf(request, 'code'), longFieldOf(request, 'signature')]
  const form = sentForm(call, [name, fieldOf(request, 'password'), code, signature])
  const isRepeat = (): Promise<boolean> => wasSent(services.sql, form)
  if (signature === '' && (await isRepeat())) return showCreation(call, name, null)
  // A passkey's answer is verified again, for its evidence.
  const proof = await provePerson(call, print, isRepeat)
  if ('sentence' in proof) return showNew(call, proof)
  const isProved = await tx(
    services.sql,
    async (sql) => {
      await lockIdentity(sql, call.session.identity.id)
      // The second click gets the page of the first.
      return (await wasSent(sql, form)) || ((await proof.take(sql)) && (await takeForm(sql, form)))
    },
    request,
  )
  if (!isProved) return showNew(call, USED)
  return showCreation(call, name, proof.evidence ?? null)
}

/** The page on which a passkey of before signs that another one is added under this name. */
function askPasskey(call: SignedCall, name: string, print: string): FastifyReply {
  const page = {
    title: 'Add a passkey',
    text: 'Prove with a passkey that you have that you add “' + name + '”.',
    action: NEW,
    proof: proofForm(call, 'POST ' + NEW, print),
    fields: html`<input type="hidden" name="name" value="${name}">`,
    label: 'Continue with a passkey',
  }
  return sendPage(call.reply, passkeyStepPage(page))
}

async function showCreation(
  { services, request, reply, session }: SignedCall,
  name: string,
  evidence: Evidence | null,
): Promise<FastifyReply> {
  const { id: identityId, email, name: displayName } = session.identity
  const known = await listPasskeys(services.sql, identityId)
  const userHandle = known[0]?.userHandle ?? randomBytes(USER_HANDLE_BYTES)
  const { challenge, sealed } = beginCeremony(
    services,
    { purpose: 'register', subject: session.id, userHandle, evidence },
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
  return sendPage(reply, createPage({ ...made, name, options, sealed, problem: null }))
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
  const change = async (sql: TxSql): Promise<void> => {
    const { id: identityId } = await lockIdentity(sql, session.identity.id)
    const known = await listPasskeys(sql, identityId)
    if (!(await takeChallenge(sql, ceremony))) throw new Repeated()
    if (known.length >= PASSKEYS_MAX) throw new Unchanged('You have too many passkeys already.')
    const now = request.admittedAtMs
    const { userHandle } = ceremony
    const passkey = { ...made, id: newId('pky', now), identityId, userHandle, name, createdAt: now }
    if (!(await insertPasskey(sql, passkey))) throw new Unchanged('This passkey is known already.')
    fresh = await saveMissingRecoveryCodes(sql, identityId, codes.map(hashOf))
  }
  const { evidence } = ceremony
  const outcome = await changeProved(call, { change, evidence, brings: 'passkey' })
  if (typeof outcome !== 'string') return showNew(call, outcome)
  return fresh ? sendPage(reply, recoveryPage(codes)) : reply.redirect('/account?done=passkey', 303)
}

async function showRemoval(call: SignedCall, problem: Problem | null): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const { id } = request.params as { id: string }
  const known = await listPasskeys(services.sql, session.identity.id)
  const passkey = known.find((each) => each.id === id)
  if (passkey === undefined) return sendPage(reply, endingPage('closed'))
  const action = 'POST /account/passkeys/:id/remove'
  const proof = proofForm(call, action, formPrint(call, action))
  return sendPage(reply, removePage({ passkey, proof, problem }))
}

async function removePasskey(call: SignedCall): Promise<FastifyReply> {
  const { id } = call.request.params as { id: string }
  const change = (sql: TxSql) => removeUnlessLast(sql, call, id)
  const outcome = await changeOwn(call, { content: [], change })
  if (typeof outcome !== 'string') return showRemoval(call, outcome)
  return call.reply.redirect('/account?done=passkey_removed', 303)
}

/**
 * The last passkey goes only if password and authenticator stay, and another operator has a person
 * with a passkey: without one nobody opens the pages of operators.
 */
async function removeUnlessLast(
  sql: TxSql,
  { request, session }: SignedCall,
  id: string,
): Promise<void> {
  const identity = await lockIdentity(sql, session.identity.id)
  const others = (await listPasskeys(sql, identity.id)).filter((each) => each.id !== id)
  if (others.length === 0 && (identity.passwordHash === null || identity.totpSealed === null))
    throw new Unchanged(
      'This is your only second factor. Add another passkey or an authenticator first.',
    )
  const person = { identityId: identity.id, now: request.admittedAtMs }
  if (others.length === 0 && (await isOnlyOperator(sql, person)))
    throw new Unchanged('You are the only person of operators. Add another passkey first.')
  if (!(await deletePasskey(sql, { id, identityId: identity.id })))
    throw new Unchanged('You have no such passkey.')
}
