// The page behind the link of a mail about a factor reset that waits: an owner cancels it. The link
// alone is the right, because an owner who lost a device cannot sign in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tx } from '../../database/transaction.ts'
import { sendPage } from '../../http/pages/page.ts'
import { cancelReset, findReset, resetHash } from '../members/index.ts'
import { findSession } from '../sessions/index.ts'
import { cancelResetPage, resetCancelledPage } from './factor-resets-view.ts'
import { withToken } from './links.ts'
import { goneLinkPage } from './links-view.ts'
import type { PageServices } from './ports.ts'

export function registerFactorResets(pages: FastifyInstance, services: PageServices): void {
  const path = '/factor_resets/:token'
  const pending = (request: FastifyRequest, token: string) =>
    findReset(services.sql, { cancelHash: resetHash(token), now: request.admittedAtMs })
  pages.get(
    path,
    withToken(async (request, reply, token) => {
      const reset = await pending(request, token)
      return sendPage(reply, reset === null ? goneLinkPage() : cancelResetPage(token, reset))
    }),
  )
  pages.post(
    path,
    withToken(async (request, reply, token): Promise<FastifyReply> => {
      const reset = await pending(request, token)
      const session = await findSession(services, request)
      const member = session?.memberships.find(({ tenantId }) => tenantId === reset?.tenantId)
      const by = member?.role === 'owner' ? member.personId : null
      const { id: requestId, clientAddress: address, admittedAtMs: now } = request
      const call = { cancelHash: resetHash(token), by, requestId, address, now }
      const isCancelled = await tx(services.sql, (sql) => cancelReset(sql, call), request)
      return sendPage(reply, isCancelled ? resetCancelledPage() : goneLinkPage())
    }),
  )
}
