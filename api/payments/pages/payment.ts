// The page on which a holder approves or denies a payment.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { html } from '../../../shared/html.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import {
  approveOnPage,
  denyOnPage,
  type HostedPayment,
  type HostedPaymentPorts,
  openPayment,
} from '../payments/index.ts'
import {
  ENDS,
  type End,
  endPage,
  fieldOf,
  fromOurPage,
  HOLDER_PROBLEM,
  type HostedContent,
  holderCall,
  nowhere,
  sendHosted,
} from './hosted-page.ts'

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const CENTS = 100

const ENDED: End = {
  status: 410,
  title: 'Too late',
  mark: ['', '!'],
  text: 'This payment cannot be approved any more. No money moved. Ask the shop to begin again.',
}

/** `refusal` counts how often an address opened a link that leads nowhere. */
export function registerPayment(
  pages: FastifyInstance,
  ports: HostedPaymentPorts,
  refusal: (request: FastifyRequest) => Refusal,
): void {
  pages.get('/pay/:handle', async (request, reply) => {
    const call = holderCall(request)
    const hosted = call === null ? null : await openPayment(ports.sql, call)
    if (hosted === null) return sendHosted(reply, nowhere(request, refusal))
    return shown(reply, hosted, ports)
  })
  pages.post('/pay/:handle', async (request, reply) => {
    if (!fromOurPage(request)) return sendHosted(reply, endPage(ENDS.foreign))
    const call = holderCall(request)
    const hosted = call === null ? null : await openPayment(ports.sql, call)
    if (call === null || hosted === null) return sendHosted(reply, nowhere(request, refusal))
    try {
      if (fieldOf(request, 'decision') === 'deny') await denyOnPage(ports, call)
      else await approveOnPage(ports, call, assertionIn(request))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'assertion_invalid') return shown(reply, hosted, ports, 400)
      if (error.code !== 'invalid_state') throw error
    }
    // The redirect removes the form from the browser's history: reloading sends no form again.
    return reply.code(303).header('Location', request.url).send()
  })
}

function assertionIn(request: FastifyRequest) {
  return {
    credential_id: fieldOf(request, 'credential_id'),
    authenticator_data: fieldOf(request, 'authenticator_data'),
    client_data_json: fieldOf(request, 'client_data_json'),
    signature: fieldOf(request, 'signature'),
  }
}

function shown(
  reply: FastifyReply,
  hosted: HostedPayment,
  ports: HostedPaymentPorts,
  status = 200,
): FastifyReply {
  if (hosted.open) return sendHosted(reply, paymentPage(hosted, ports, status), { passkey: true })
  return sendHosted(reply, endPage(endOf(hosted)))
}

function endOf({ payment, payee }: HostedPayment): End {
  const named = DOLLARS.format(payment.amountCents / CENTS) + ' to ' + payee.name
  if (payment.confirmedAt !== null)
    return {
      ...{ status: 200, title: 'Approved', mark: ['good', '✓'] },
      text: 'You approved ' + named + '. You can close this page.',
    }
  if ((payment.voidCause ?? payment.releasing) !== 'holder_denied') return ENDED
  return {
    ...{ status: 200, title: 'Denied', mark: ['bad', '✕'] },
    text: 'You denied ' + named + '. No money moves. You can close this page.',
  }
}

function paymentPage(
  { payment, payee, tenantName, credentialId }: HostedPayment,
  { publicUrl }: HostedPaymentPorts,
  status: number,
): HostedContent {
  const { environment, approvalHash, confirmationExpiresAt, description } = payment
  const amount = DOLLARS.format(payment.amountCents / CENTS)
  const challenge = approvalHash ?? Buffer.alloc(0)
  const options = getOptions(partyOf(publicUrl), { challenge, credentialIds: [credentialId] })
  const content = html`
<header><span>${tenantName}</span><span class="badge ${environment}">${environment}</span></header>
<h1>Approve this payment?</h1>
<p class="sum">${amount}</p>
${status === 200 ? null : html`<p class="problem" role="alert">The passkey’s answer was not the one for this payment. Nothing was approved; try again.</p>`}
<dl>
<div><dt>To</dt><dd>${payee.name}</dd></div>
${description === null ? null : html`<div><dt>For</dt><dd>${description}</dd></div>`}
<div><dt>Address</dt><dd><code>${payee.address}</code></dd></div>
<div><dt>Decide by</dt><dd>${moment(confirmationExpiresAt ?? 0)}</dd></div>
<div><dt>Paid by</dt><dd>${moment(payment.expiresAt)}, or never</dd></div>
</dl>
${HOLDER_PROBLEM}
<form method="post" data-get="${options}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data">
<input type="hidden" name="client_data_json"><input type="hidden" name="signature">
<div class="actions">
<button class="primary" name="decision" value="approve" data-passkey>Approve</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>
<p class="note">Your passkey approves exactly this amount to exactly this address. If you did not expect it, deny it.</p>`
  return { status, title: 'Approve this payment?', content }
}

function moment(at: EpochMs) {
  return html`<time datetime="${isoInstant(at)}">${MOMENT.format(at)} UTC</time>`
}
