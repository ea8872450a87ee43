// The page on which a holder enrols the passkey of a payment account.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html } from '../../../shared/html.ts'
import { COSE, createOptions } from '../../http/pages/passkey-form.ts'
import { isSameOrigin } from '../../http/pages/same-origin.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import { type EnrolmentPorts, enrolPasskey, openEnrolment } from '../payment-accounts/index.ts'
import {
  ENDS,
  endPage,
  fieldOf,
  HOLDER_PROBLEM,
  type HostedContent,
  holderCall,
  nowhere,
  sendHosted,
} from './hosted-page.ts'

type Enrolling = NonNullable<Awaited<ReturnType<typeof openEnrolment>>>

const DONE = {
  status: 200,
  title: 'Passkey created',
  mark: ['good', '✓'],
  text: 'Your account is open. From now on you approve each payment with this passkey. You can close this page.',
} as const

const IN_USE = {
  status: 409,
  title: 'This passkey is taken',
  mark: ['bad', '!'],
  text: 'The passkey commands another account already. Open the link again and create a new one.',
} as const

/** `refusal` counts how often an address opened a link that leads nowhere. */
export function registerEnrolment(
  pages: FastifyInstance,
  ports: EnrolmentPorts,
  refusal: (request: FastifyRequest) => Refusal,
): void {
  pages.get('/pay/enrol/:handle', async (request, reply) => {
    const call = holderCall(request)
    const account = call === null ? null : await openEnrolment(ports.sql, call)
    if (account === null) return sendHosted(reply, nowhere(request, refusal))
    return sendHosted(reply, enrolmentPage(account, ports), { passkey: true })
  })
  pages.post('/pay/enrol/:handle', async (request, reply) => {
    if (!isSameOrigin(request)) return sendHosted(reply, endPage(ENDS.foreign))
    const call = holderCall(request)
    if (call === null) return sendHosted(reply, nowhere(request, refusal))
    const registration = {
      attestation_object: fieldOf(request, 'attestation_object'),
      client_data_json: fieldOf(request, 'client_data_json'),
    }
    try {
      await enrolPasskey(ports, call, registration)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'resource_missing') return sendHosted(reply, nowhere(request, refusal))
      if (error.code === 'passkey_in_use') return sendHosted(reply, endPage(IN_USE))
      throw error
    }
    return sendHosted(reply, endPage(DONE))
  })
}

function enrolmentPage(account: Enrolling, { publicUrl }: EnrolmentPorts): HostedContent {
  const { tenantName, environment, challenge, id } = account
  const name = tenantName + ' payments'
  const options = createOptions(partyOf(publicUrl), {
    challenge,
    rpName: tenantName,
    user: { id: hash('sha256', id, 'buffer'), name, displayName: name },
    algorithms: [COSE.es256],
    residentKey: 'preferred',
  })
  const content = html`
<header><span>${tenantName}</span><span class="badge ${environment}">${environment}</span></header>
<h1>Create your passkey</h1>
<p class="operation">You will approve each payment to ${tenantName} with it, by fingerprint, face or the
lock of this device. Nobody can pay from your account without it.</p>
${HOLDER_PROBLEM}
<form method="post" data-create="${options}">
<input type="hidden" name="attestation_object"><input type="hidden" name="client_data_json">
<div class="actions one"><button class="primary" data-passkey disabled>Create passkey</button></div>
</form>
<p class="note">Keep the device, or let your system keep a copy of the passkey: it is the key to your money.</p>`
  return { status: 200, title: 'Create your passkey', content }
}
