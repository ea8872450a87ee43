// A payment on the page of its holder.
import { html } from '../../../shared/html.ts'
import {
  approveOnPage,
  denyOnPage,
  type HostedPayment,
  type HostedPaymentPorts,
  openPayment,
} from '../payments/index.ts'
import { type Approvable, type ApprovalPrompt, dollars, moment, type OpenLink } from './approval.ts'
import type { End } from './hosted-page.ts'

const ENDED: End = {
  status: 410,
  title: 'Too late',
  mark: ['', '!'],
  text: 'This payment cannot be approved any more. No money moved. Ask the shop to begin again.',
}

export function paymentLinks(ports: HostedPaymentPorts): OpenLink {
  return async (call): Promise<Approvable | null> => {
    const hosted = await openPayment(ports.sql, call)
    if (hosted === null) return null
    return {
      prompt: hosted.open ? promptOf(hosted) : null,
      end: endOf(hosted),
      approve: (assertion) => approveOnPage(ports, call, assertion),
      deny: () => denyOnPage(ports, call),
    }
  }
}

function endOf({ payment, payee }: HostedPayment): End {
  const named = dollars(payment.amountCents) + ' to ' + payee.name
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

function promptOf({ payment, payee, tenantName, credentialId }: HostedPayment): ApprovalPrompt {
  const { environment, approvalHash, confirmationExpiresAt, description } = payment
  return {
    ...{ tenantName, environment, credentialId, challenge: approvalHash ?? Buffer.alloc(0) },
    title: 'Approve this payment?',
    sum: dollars(payment.amountCents),
    terms: [
      ['To', payee.name],
      ...(description === null ? [] : [['For', description] as const]),
      ['Address', html`<code>${payee.address}</code>`],
      ['Decide by', moment(confirmationExpiresAt ?? 0)],
      ['Paid by', html`${moment(payment.expiresAt)}, or never`],
    ],
    note: 'Your passkey approves exactly this amount to exactly this address. If you did not expect it, deny it.',
  }
}
