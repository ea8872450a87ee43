// The hosted pages of payments, in a scope of their own: no other scope reads their forms.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Refusal } from '../../http/refusal.ts'
import type { EnrolmentPorts } from '../payment-accounts/index.ts'
import type { HostedWithdrawalPorts } from '../payment-withdrawals/index.ts'
import type { HostedPaymentPorts } from '../payments/index.ts'
import { type OpenLink, registerApproval } from './approval.ts'
import { registerEnrolment } from './enrolment.ts'
import { openHostedPages } from './hosted-page.ts'
import { mandateLinks } from './mandate.ts'
import { paymentLinks } from './payment.ts'
import { withdrawalLinks } from './withdrawal.ts'

/** The parts of the process that the hosted pages use. */
export interface HostedPagePorts extends EnrolmentPorts, HostedPaymentPorts, HostedWithdrawalPorts {
  docsUrl: string
}

/** `refusal` counts how often an address opened a link that leads nowhere. */
export function registerPaymentPages(
  server: FastifyInstance,
  ports: HostedPagePorts,
  refusal: (request: FastifyRequest) => Refusal,
): void {
  server.register(async (pages) => {
    openHostedPages(pages, ports)
    registerEnrolment(pages, ports, refusal)
    const links = [paymentLinks(ports), mandateLinks(ports), withdrawalLinks(ports)]
    registerApproval(pages, { open: firstOf(links), publicUrl: ports.publicUrl }, refusal)
  })
}

/** A handle is random: it leads to one thing at most. */
function firstOf(links: readonly OpenLink[]): OpenLink {
  return async (call) => {
    for (const open of links) {
      const found = await open(call)
      if (found !== null) return found
    }
    return null
  }
}
