// The page on which a holder approves or denies something: its address is the secret, and its one
// script asks for the passkey.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import { type Html, html } from '../../../shared/html.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { getOptions } from '../../http/pages/passkey-form.ts'
import { isSameOrigin } from '../../http/pages/same-origin.ts'
import { Refusal } from '../../http/refusal.ts'
import { partyOf } from '../../http/relying-party.ts'
import type { SentAssertion } from '../passkeys/assertion.ts'
import type { HolderCall } from '../payment-accounts/index.ts'
import {
  ENDS,
  type End,
  endPage,
  fieldOf,
  HOLDER_PROBLEM,
  type HostedContent,
  holderCall,
  nowhere,
  sendHosted,
} from './hosted-page.ts'

/** The terms that a page shows, and the challenge that the holder signs to approve them. */
export interface ApprovalPrompt {
  tenantName: string
  environment: Environment
  title: string
  /** For example `$25.00`. */
  sum: string
  /** Rows of terms and their values. */
  terms: readonly (readonly [term: string, value: Html | string])[]
  note: string
  challenge: Buffer
  credentialId: Buffer
}

/** A payment or mandate behind a link. */
export interface Approvable {
  /** Null where nothing is left to decide. */
  prompt: ApprovalPrompt | null
  /** Shown then. */
  end: End
  approve(assertion: SentAssertion): Promise<void>
  deny(): Promise<void>
}

/** Finds what a link leads to; null where it is unknown or was replaced. */
export type OpenLink = (call: HolderCall) => Promise<Approvable | null>

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const CENTS = 100

/** `refusal` counts how often an address opened a link that leads nowhere. */
export function registerApproval(
  pages: FastifyInstance,
  { open, publicUrl }: { open: OpenLink; publicUrl: string },
  refusal: (request: FastifyRequest) => Refusal,
): void {
  const shown = (reply: FastifyReply, { prompt, end }: Approvable, status = 200) =>
    prompt === null
      ? sendHosted(reply, endPage(end))
      : sendHosted(reply, promptPage(prompt, { publicUrl, status }), { passkey: true })
  pages.get('/pay/:handle', async (request, reply) => {
    const call = holderCall(request)
    const opened = call === null ? null : await open(call)
    return opened === null ? sendHosted(reply, nowhere(request, refusal)) : shown(reply, opened)
  })
  pages.post('/pay/:handle', async (request, reply) => {
    if (!isSameOrigin(request)) return sendHosted(reply, endPage(ENDS.foreign))
    const call = holderCall(request)
    const opened = call === null ? null : await open(call)
    if (opened === null) return sendHosted(reply, nowhere(request, refusal))
    try {
      if (fieldOf(request, 'decision') === 'deny') await opened.deny()
      else await opened.approve(assertionIn(request))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'assertion_invalid') return shown(reply, opened, 400)
      if (error.code !== 'invalid_state') throw error
    }
    // The redirect removes the form from the browser's history: reloading sends no form again.
    return reply.code(303).header('Location', request.url).send()
  })
}

function assertionIn(request: FastifyRequest): SentAssertion {
  return {
    credential_id: fieldOf(request, 'credential_id'),
    authenticator_data: fieldOf(request, 'authenticator_data'),
    client_data_json: fieldOf(request, 'client_data_json'),
    signature: fieldOf(request, 'signature'),
  }
}

function promptPage(
  prompt: ApprovalPrompt,
  { publicUrl, status }: { publicUrl: string; status: number },
): HostedContent {
  const { tenantName, environment, title, sum, terms, note, challenge, credentialId } = prompt
  const options = getOptions(partyOf(publicUrl), { challenge, credentialIds: [credentialId] })
  const content = html`
<header><span>${tenantName}</span><span class="badge ${environment}">${environment}</span></header>
<h1>${title}</h1>
<p class="sum">${sum}</p>
${status === 200 ? null : html`<p class="problem" role="alert">The passkey’s answer was not the one for this page. Nothing was approved; try again.</p>`}
<dl>
${terms.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>\n`)}</dl>
${HOLDER_PROBLEM}
<form method="post" data-get="${options}">
<input type="hidden" name="credential_id"><input type="hidden" name="authenticator_data">
<input type="hidden" name="client_data_json"><input type="hidden" name="signature">
<div class="actions">
<button class="primary" name="decision" value="approve" data-passkey disabled>Approve</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>
<p class="note">${note}</p>`
  return { status, title, content }
}

/** The moment for people, in UTC. */
export function moment(at: EpochMs): Html {
  return html`<time datetime="${isoInstant(at)}">${MOMENT.format(at)} UTC</time>`
}

export function dollars(cents: number): string {
  return DOLLARS.format(cents / CENTS)
}
