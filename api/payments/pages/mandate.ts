// A mandate on the page of its holder.
import { html } from '../../../shared/html.ts'
import {
  approveMandate,
  denyMandate,
  type HostedMandate,
  type HostedMandatePorts,
  openMandate,
} from '../payment-mandates/index.ts'
import { type Approvable, type ApprovalPrompt, dollars, moment, type OpenLink } from './approval.ts'
import type { End } from './hosted-page.ts'

const APPROVED: End = {
  status: 200,
  title: 'Approved',
  mark: ['good', '✓'],
  text: 'You approved these payments. You can close this page.',
}
const ENDED: End = {
  status: 410,
  title: 'Not open',
  mark: ['', '!'],
  text: 'This approval was denied, revoked or is too late. No payment is taken under it.',
}

export function mandateLinks(ports: HostedMandatePorts): OpenLink {
  return async (call): Promise<Approvable | null> => {
    const hosted = await openMandate(ports.sql, call)
    if (hosted === null) return null
    return {
      prompt: hosted.open ? promptOf(hosted) : null,
      end: ['active', 'exhausted'].includes(hosted.mandate.status) ? APPROVED : ENDED,
      approve: (assertion) => approveMandate(ports, call, assertion),
      deny: () => denyMandate(ports, call),
    }
  }
}

function promptOf({ mandate, payee, tenantName, credentialId }: HostedMandate): ApprovalPrompt {
  const { environment, approvalHash, description } = mandate
  return {
    ...{ tenantName, environment, credentialId, challenge: approvalHash },
    title: 'Approve payments up to this sum?',
    sum: dollars(mandate.limitCents),
    terms: [
      ['To', payee.name],
      ...(description === null ? [] : [['For', description] as const]),
      ['Address', html`<code>${payee.address}</code>`],
      ['Each at most', dollars(mandate.perPaymentCents)],
      ['Until', moment(mandate.expiresAt)],
      ['Decide by', moment(mandate.confirmationExpiresAt)],
    ],
    note: 'Payments up to this sum, all together, may be taken to this address without asking you again. If you did not expect it, deny it.',
  }
}
