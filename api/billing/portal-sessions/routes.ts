// The endpoints of visits of the processor's portal.
import { Type } from '../../../shared/schema-builders.ts'
import {
  OpenedPortalSession,
  PortalSession,
} from '../../../shared/schemas/billing-payment-method.ts'
import { described } from '../../../shared/schemas/described.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { ProcessorPort } from '../processor/index.ts'
import type { BillingPort } from '../require-billing.ts'
import { openPortalSession, readPortalSession, requireReturnUrl } from './open.ts'

const PATH = '/v1/billing/portal_sessions'

export const portalSessionRoutes: readonly Route<BillingPort & ProcessorPort>[] = [
  route({
    method: 'POST',
    paths: [PATH],
    summary: 'Opens the portal on which a person looks after cards and invoices.',
    scope: 'admin',
    entitled: 'always',
    status: 201,
    factor: 'Open the portal of payment methods and invoices.',
    body: closed({
      return_url: described(
        Type.String({ minLength: 1, maxLength: 2048 }),
        'The page of yours to which the portal leads back: https, in the sandbox also loopback.',
      ),
    }),
    check: ({ return_url }) => requireReturnUrl(return_url, null),
    answer: OpenedPortalSession,
    run: (context, { body }, ports: BillingPort & ProcessorPort) => {
      requireReturnUrl(body.return_url, context.principal.environment)
      return openPortalSession(context, body.return_url, ports)
    },
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows a visit of the portal, without its address.',
    scope: 'admin',
    params: IdParams,
    answer: PortalSession,
    run: (context, { params }) => readPortalSession(context, params.id),
  }),
]
