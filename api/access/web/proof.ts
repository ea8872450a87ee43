// The proof that a signed-in person gives for a change of how they sign in: password and code, or a
// passkey. A session alone never changes it.

import { hash } from 'node:crypto'
import { fieldOf, longFieldOf } from '../../http/pages/fields.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { pagesUrlOf, partyOf } from '../../http/relying-party.ts'
import type { Evidence } from '../../write/evidence.ts'
import { type SignedIn, signIn } from '../identities/index.ts'
import { assertionIn, beginCeremony, signInByPasskey } from '../passkeys/index.ts'
import { newSentFormId } from './sent-form.ts'
import type { SignedCall } from './signed-in.ts'

/** A change that was not made. */
export interface Problem {
  status: 422 | 429
  sentence: string
  /** The form was sent before: its first sending may have made the change. */
  isRepeat?: true
  /** The field that is marked; absent: the problem stands above the form. */
  field?: 'password'
}

const WRONG: Problem = {
  status: 422,
  sentence: 'That does not prove that it is you. Each code works once. Nothing was changed.',
}
export const LATE: Problem = {
  status: 422,
  sentence: 'This page was open for too long. Try again. Nothing was changed.',
}
/** A form with a passkey’s answer that was used. */
const REPEATED: Problem = {
  status: 422,
  sentence: 'This form was sent before, and its change is not made twice. See what it did.',
  isRepeat: true,
}
const THROTTLED: Problem = {
  status: 429,
  sentence: 'Too many tries. Wait five minutes, then try again. Nothing was changed.',
}

/** A form's part that proves the person. */
export interface ProofForm {
  email: string
  /** The person has a second factor, therefore the password needs a code. */
  needsCode: boolean
  /** Id of the form: sent twice, it acts once. */
  formId: string
  /**
   * Null for a person without a passkey. `later`: the passkey signs the content of the form, and
   * is asked on the page after it.
   */
  passkey: { options: string; sealed: string } | 'later' | null
}

/** A person who proved their identity; with evidence, by a passkey. */
export type Proved = SignedIn & { evidence?: Evidence }

/**
 * 64 hex digits over the route of a form, the resources in its path, and its content. `content`
 * holds no secret that could be guessed: the fingerprint is kept with the evidence.
 */
export function formPrint(
  { request }: Pick<SignedCall, 'request'>,
  action: string,
  content: readonly string[] = [],
): string {
  const params = request.params as { readonly [name: string]: string }
  const path = action.replaceAll(/:(\w+)/g, (_whole, name: string) => params[name] ?? '')
  return hash('sha256', [path, ...content].join('\n'))
}

/**
 * `action` is the route to which the form is sent: the proof is good for no other, and for no other
 * tenant or resource than the page is about. `fingerprint`, in hex, binds the answer of a passkey
 * to the content of the form; null: the content is not typed yet.
 */
export function proofForm(
  { services, session, request }: SignedCall,
  action: string,
  fingerprint: string | null,
): ProofForm {
  const { email, hasGenerator, hasPasskeys } = session.identity
  const subject = subjectOf({ session, request }, action)
  const begin = (): ProofForm['passkey'] => {
    if (fingerprint === null) return 'later'
    const ceremony = { purpose: 'prove', subject, fingerprint } as const
    const { challenge, sealed } = beginCeremony(services, ceremony, request.admittedAtMs)
    return { options: getOptions(partyOf(pagesUrlOf(services)), { challenge }), sealed }
  }
  const passkey = hasPasskeys ? begin() : null
  return { email, needsCode: hasGenerator || hasPasskeys, formId: newSentFormId(), passkey }
}

/**
 * The proof in the form of the request, or the problem with it. Uses up only a try. `wasSent`:
 * whether the same form acted before; then the repeat of a passkey's answer is no replay to note.
 */
export async function provePerson(
  call: SignedCall,
  fingerprint: string,
  wasSent?: () => Promise<boolean>,
): Promise<Proved | Problem> {
  const signed = await proofIn(call, fingerprint, wasSent)
  if (typeof signed !== 'string') return signed
  if (signed === 'throttled') return THROTTLED
  if (signed === 'used') return REPEATED
  return signed === 'late' ? LATE : WRONG
}

function proofIn(
  { services, request, session }: SignedCall,
  fingerprint: string,
  wasSent?: () => Promise<boolean>,
) {
  const { id: identityId, email } = session.identity
  const from = { ip: request.clientAddress ?? '', now: request.admittedAtMs }
  const sent = assertionIn((name) => longFieldOf(request, name))
  if (sent === null) {
    const [password, code] = [fieldOf(request, 'password'), fieldOf(request, 'code')]
    return signIn(services, { email, identityId, password, code, ...from })
  }
  const subject = subjectOf({ session, request }, actionOf(request))
  return signInByPasskey(services, {
    sent,
    sealed: longFieldOf(request, 'ceremony'),
    expected: { purpose: 'prove', subject, identityId, fingerprint },
    party: partyOf(pagesUrlOf(services)),
    requestId: request.id,
    ...(wasSent === undefined ? {} : { wasSent }),
    ...from,
  })
}

/** The session, the route of the form, and the tenant and resource that its path names. */
function subjectOf(
  { session, request }: Pick<SignedCall, 'session' | 'request'>,
  action: string,
): string {
  const params = request.params as { readonly [name: string]: string }
  const named = [...action.matchAll(/:(\w+)/g)].map(([, name = '']) => params[name] ?? '')
  return [session.id, action, ...named].join(' ')
}

/** The route of a request, as forms and the audit log name it. */
export function actionOf({ method, routeOptions }: SignedCall['request']): string {
  return method + ' ' + routeOptions.url
}

/** The answer to a proof that a rival request used up. */
export const USED: Problem = WRONG
