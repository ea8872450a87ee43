// The hosted pages of payments, in a scope of their own: no other scope reads their forms.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Refusal } from '../../http/refusal.ts'
import type { EnrolmentPorts } from '../payment-accounts/index.ts'
import type { HostedPaymentPorts } from '../payments/index.ts'
import { registerEnrolment } from './enrolment.ts'
import { readForms } from './hosted-page.ts'
import { registerPayment } from './payment.ts'

/** The parts of the process that the hosted pages use. */
export interface HostedPagePorts extends EnrolmentPorts, HostedPaymentPorts {
  docsUrl: string
}

/** `refusal` counts how often an address opened a link that leads nowhere. */
export function registerPaymentPages(
  server: FastifyInstance,
  ports: HostedPagePorts,
  refusal: (request: FastifyRequest) => Refusal,
): void {
  server.register(async (pages) => {
    readForms(pages, ports)
    registerEnrolment(pages, ports, refusal)
    registerPayment(pages, ports, refusal)
  })
}
