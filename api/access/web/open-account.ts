// Sign-up on pages: with a password at once, or with a passkey that the device makes on a second
// page.
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../../shared/id.ts'
import { cutPans } from '../../../shared/pan-search.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import { tx } from '../../database/transaction.ts'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import { createOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import {
  countTry,
  findIdentity,
  newRecoveryCodes,
  type SignedIn,
  signIn,
} from '../identities/index.ts'
import {
  ALGORITHMS,
  beginCeremony,
  type Ceremony,
  findPasskey,
  isTaken,
  openCeremony,
  registrationIn,
  verifyRegistration,
} from '../passkeys/index.ts'
import { openSession, sessionCookie } from '../sessions/index.ts'
import { recoveryPage } from './account-view.ts'
import { emailIn, HOME, nameIn, refusalOf } from './forms.ts'
import { hashOf } from './generator.ts'
import { proofWorld } from './links.ts'
import { passwordProblem } from './new-password.ts'
import { createPage } from './passkeys-view.ts'
import type { PageServices } from './ports.ts'
import { endOwn } from './sign-in.ts'
import { endingPage, type SignUpForm, signUpPage } from './sign-in-view.ts'
import { isFormId, isTenantCountry, type NewAccount, type SignUp, signUp } from './sign-up.ts'

const SIGN_UPS_MAX = 5
const SIGN_UPS_MS = 5 * 60_000
/** Chosen: as long as the device has to answer. */
const REPEAT_MS = 5 * 60_000
const USER_HANDLE_BYTES = 32
const FIELDS = ['form', 'email', 'name', 'company', 'country'] as const

interface Visit {
  services: PageServices
  request: FastifyRequest
  reply: FastifyReply
}

export function registerSignUp(pages: FastifyInstance, services: PageServices): void {
  // The pages exist only where people may sign themselves up.
  const opened =
    (run: (visit: Visit) => Promise<FastifyReply> | FastifyReply) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      services.signUp ? run({ services, request, reply }) : sendPage(reply, endingPage('closed'))
  pages.get(
    '/sign-up',
    opened(({ reply }) => sendPage(reply, signUpPage(emptyForm(services)))),
  )
  pages.post('/sign-up', opened(byPassword))
  pages.post('/sign-up/passkey', opened(beginPasskey))
  pages.post('/sign-up/passkey/made', opened(byPasskey))
}

function emptyForm({ clock }: PageServices): SignUpForm {
  const form = newId('idn', clock.nowMs())
  return { form, email: '', name: '', company: '', country: '', problem: null }
}

type Problem = NonNullable<SignUpForm['problem']>

function again({ request, reply }: Visit, problem: Problem): FastifyReply {
  const typed = FIELDS.map((name) => [name, cutPans(fieldOf(request, name))])
  return sendPage(reply, signUpPage({ ...Object.fromEntries(typed), problem }))
}

/** The account of the form, or the problem with it. */
function accountIn({ request }: Visit): NewAccount | Problem | null {
  const refused = (sentence: string, text = ''): Problem => ({
    status: 422,
    sentence: refusalOf(text, sentence),
  })
  const email = emailIn(fieldOf(request, 'email'))
  const [typedName, typedCompany] = [fieldOf(request, 'name'), fieldOf(request, 'company')]
  const [name, company] = [nameIn(typedName), nameIn(typedCompany)]
  const country = fieldOf(request, 'country').trim().toUpperCase()
  if (email === null) return refused('Type an email address, such as ada@example.com.')
  if (name === null) return refused('Type your name, of at most 100 characters.', typedName)
  if (company === null) return refused('Type the name of your company.', typedCompany)
  if (!isTenantCountry(country)) return refused('Type a country of two letters, such as DE.')
  const identityId = fieldOf(request, 'form')
  return isFormId(identityId) ? { identityId, email, name, company, country } : null
}

async function mayTry({ services, request }: Visit): Promise<boolean> {
  const now = request.admittedAtMs
  const subject = 'sign-up:' + addressHolder(request.clientAddress)
  return countTry(services.sql, { subject, now, since: now - SIGN_UPS_MS, max: SIGN_UPS_MAX })
}

const LATE: Problem = {
  status: 429,
  sentence: 'Too many tries. Wait five minutes, then try again.',
}

async function byPassword(visit: Visit): Promise<FastifyReply> {
  const { request, reply } = visit
  if (!(await mayTry(visit))) return again(visit, LATE)
  const account = accountIn(visit)
  if (account === null) return sendPage(reply, endingPage('unreadable'))
  if ('sentence' in account) return again(visit, account)
  const password = fieldOf(request, 'password')
  const { email, name, company } = account
  const problem = await passwordProblem(password, { email, names: [name, company] })
  if (problem !== null) return again(visit, problem)
  const isOpened = await open(visit, account, { password })
  const isIn = isOpened || (await enterAgain(visit, account, password))
  return reply.redirect(isIn ? HOME : '/sign-in', 303)
}

/** The same form again, by a double click: its answer is that of the first, with a session. */
async function enterAgain(visit: Visit, account: NewAccount, password: string): Promise<boolean> {
  const { request } = visit
  const { identityId, email } = account
  const { clientAddress, admittedAtMs: now } = request
  if (!(await isFresh(visit, account))) return false
  const claim = { email, identityId, password, code: '', ip: clientAddress ?? '', now }
  const signed = await signIn(visit.services, claim)
  return typeof signed === 'string' ? false : begin(visit, signed)
}

/**
 * Whether the form opened this account, with this address, minutes ago. Otherwise the form would be
 * another way to sign in, for any account and without the limit of its tries.
 */
async function isFresh(
  { services, request }: Visit,
  { identityId, email }: NewAccount,
): Promise<boolean> {
  const identity = await findIdentity(services.sql, identityId)
  if (identity?.state !== 'active' || identity.email !== email) return false
  return request.admittedAtMs < identity.createdAt + REPEAT_MS
}

/** Begins the session of a repeat; false if a rival used up the proof. */
async function begin(
  { services, request, reply }: Visit,
  { identity, factor, take }: Pick<SignedIn, 'factor' | 'take'> & { identity: { id: string } },
): Promise<boolean> {
  const { clientAddress: address, admittedAtMs: now } = request
  const agent = request.headers['user-agent'] ?? ''
  const session = { identityId: identity.id, factor, address, agent, now }
  const token = await tx(
    services.sql,
    async (sql) => ((await take(sql)) ? openSession(sql, session) : null),
    request,
  )
  if (token === null) return false
  await endOwn(services, request)
  reply.header('Set-Cookie', sessionCookie(request, token))
  return true
}

/** The same answer of the device again: its ceremony opened this account with this passkey. */
async function enterAgainByPasskey(
  visit: Visit,
  account: NewAccount,
  { passkey, ceremony }: Extract<SignUp['proof'], { ceremony: Ceremony }>,
): Promise<boolean> {
  const { sql } = visit.services
  if (!(await isFresh(visit, account)) || !(await isTaken(sql, ceremony))) return false
  const known = await findPasskey(sql, passkey.credentialId)
  if (known?.identityId !== account.identityId) return false
  const identity = { id: account.identityId }
  return begin(visit, { identity, factor: 'passkey', take: async () => true })
}

/** Opens the account and signs the browser in; false if the form was sent before. */
async function open(
  { services, request, reply }: Visit,
  account: NewAccount,
  proof: SignUp['proof'],
): Promise<boolean> {
  const token = await signUp(services, {
    ...{ account, proof, now: request.admittedAtMs, wait: request.wait },
    address: request.clientAddress,
    agent: request.headers['user-agent'] ?? '',
    requestId: request.id,
    proofs: proofWorld(services, request),
  })
  if (token === null) return false
  await endOwn(services, request)
  reply.header('Set-Cookie', sessionCookie(request, token))
  return true
}

/** The first step with a passkey: the page on which the device makes it. */
async function beginPasskey(visit: Visit): Promise<FastifyReply> {
  const { services, request, reply } = visit
  if (!(await mayTry(visit))) return again(visit, LATE)
  const account = accountIn(visit)
  if (account === null) return sendPage(reply, endingPage('unreadable'))
  if ('sentence' in account) return again(visit, account)
  const { email, name } = account
  const userHandle = randomBytes(USER_HANDLE_BYTES)
  const ceremony = { purpose: 'register', subject: subjectOf(account), userHandle } as const
  const { challenge, sealed } = beginCeremony(services, ceremony, request.admittedAtMs)
  const options = createOptions(partyOf(pagesUrlOf(services)), {
    challenge,
    rpName: 'svc',
    user: { id: userHandle, name: email, displayName: name },
    algorithms: ALGORITHMS,
    residentKey: 'required',
  })
  const kept = FIELDS.map((field) => [field, fieldOf(request, field)] as const)
  const page = { action: '/sign-up/passkey/made', kept, name: '', options, sealed, problem: null }
  return sendPage(reply, createPage(page))
}

/** A ceremony is good for the fields of its form alone. */
function subjectOf({ identityId, email }: NewAccount): string {
  return 'sign-up ' + identityId + ' ' + email
}

async function byPasskey(visit: Visit): Promise<FastifyReply> {
  const { services, request, reply } = visit
  const account = accountIn(visit)
  if (account === null) return sendPage(reply, endingPage('unreadable'))
  if ('sentence' in account) return again(visit, account)
  const expected = { purpose: 'register', subject: subjectOf(account) } as const
  const sealed = longFieldOf(request, 'ceremony')
  const ceremony = openCeremony(services, sealed, { ...expected, now: request.admittedAtMs })
  const sent = registrationIn((field) => longFieldOf(request, field))
  const party = partyOf(pagesUrlOf(services))
  const isMade = ceremony !== null && sent !== null
  const made = isMade ? await verifyRegistration(sent, { ...ceremony, party }) : null
  if (made === null || ceremony === null) {
    const sentence = 'The device did not make a passkey for this page, or it was open for too long.'
    return again(visit, { status: 422, sentence })
  }
  const codes = newRecoveryCodes()
  const passkey = { ...made, userHandle: ceremony.userHandle, name: 'First passkey' }
  const proof = { passkey, ceremony, recoveryHashes: codes.map(hashOf) }
  if (!(await open(visit, account, proof))) {
    const isIn = await enterAgainByPasskey(visit, account, proof)
    return reply.redirect(isIn ? HOME : '/sign-in', 303)
  }
  return sendPage(reply, recoveryPage(codes))
}
