// Sets up an authenticator. The secret is sealed into the form for this session, so that nothing is
// stored before the person proves that the authenticator has it.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { assert } from '../../../shared/assert.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { sendPage } from '../../http/pages/page.ts'
import {
  newRecoveryCodes,
  newTotpSecret,
  recoveryHash,
  saveFactor,
  totpStep,
} from '../identities/index.ts'
import { type GeneratorPage, generatorPage, recoveryPage } from './account-view.ts'
import { changeOwn } from './change-own.ts'
import type { PageServices } from './ports.ts'
import { formPrint, proofForm } from './proof.ts'
import { type SignedCall, signedIn } from './signed-in.ts'

const OFFER_MS = 15 * 60_000

interface Offer {
  secret: string
  sessionId: string
  endsAt: number
}

export function registerGenerator(pages: FastifyInstance, services: PageServices): void {
  pages.get(
    '/account/generator',
    signedIn(services, (call) => showOffer(call, newTotpSecret(), null)),
  )
  pages.post('/account/generator', signedIn(services, useGenerator))
}

async function showOffer(
  call: SignedCall,
  secret: string,
  problem: GeneratorPage['problem'],
): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const endsAt = request.admittedAtMs + OFFER_MS
  const offer: Offer = { secret, sessionId: session.id, endsAt }
  const sealed = services.seal(SEAL_CONTEXTS.generatorOffer, JSON.stringify(offer))
  const label = { issuer: 'svc', label: session.identity.email }
  const message = new TOTP({ ...label, secret: Secret.fromBase32(secret) }).toString()
  const symbol = await services.drawQrCode(session.identity.id, message)
  const action = 'POST /account/generator'
  const proof = proofForm(call, action, formPrint(call, action, [secret]))
  return sendPage(reply, generatorPage({ secret, offer: sealed, symbol, proof, problem }))
}

/** Null for an offer that is not ours, of another session, or too old. */
function openOffer({ services, request, session }: SignedCall): Offer | null {
  const text = request.body instanceof URLSearchParams ? (request.body.get('offer') ?? '') : ''
  const opened = services.unseal(SEAL_CONTEXTS.generatorOffer, text)
  if (!opened.ok) return null
  const offer = JSON.parse(opened.value.toString('utf8')) as Offer
  return offer.sessionId === session.id && request.admittedAtMs < offer.endsAt ? offer : null
}

async function useGenerator(call: SignedCall): Promise<FastifyReply> {
  const { services, request, reply, session } = call
  const offer = openOffer(call)
  if (offer === null) {
    const sentence = 'This form was too old. Set the new secret up.'
    return showOffer(call, newTotpSecret(), { status: 422, sentence })
  }
  const code = fieldOf(request, 'new_code').replaceAll(' ', '')
  if (totpStep(offer.secret, code, request.admittedAtMs) === null) {
    const sentence = 'The authenticator shows another code. Check that it has this secret.'
    return showOffer(call, offer.secret, { status: 422, sentence })
  }
  const codes = newRecoveryCodes()
  const factor = {
    identityId: session.identity.id,
    totpSealed: services.seal(SEAL_CONTEXTS.totpSecret, offer.secret),
    recoveryHashes: codes.map(hashOf),
  }
  const outcome = await changeOwn(call, {
    content: [offer.secret],
    brings: 'totp',
    change: (sql) => saveFactor(sql, factor),
  })
  if (outcome === 'repeated') return reply.redirect('/account?done=codes', 303)
  if (outcome !== 'made') return showOffer(call, offer.secret, outcome)
  return sendPage(reply, recoveryPage(codes))
}

/** The stored hash of a code that we made. */
export function hashOf(code: string): Buffer {
  const hash = recoveryHash(code)
  assert(hash !== null, 'a recovery code of ours has its form')
  return hash
}
