// The endpoints of invitations. A call that invites needs a person's approval, and that person is
// the inviter: no key alone lets anyone in.
import { Type } from '../../../shared/schema-builders.ts'
import {
  INVITATION_INPUT,
  INVITATION_STATUSES,
  Invitation,
  SentInvitation,
} from '../../../shared/schemas/invitation.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { write } from '../../write/write.ts'
import { type InviteWorld, invite, resend, revoke } from './invite.ts'
import { findInvitation, listInvitations } from './store.ts'
import { invitationView } from './view.ts'

const PATH = '/v1/invitations'

/** Parts of the process that invitations need. */
export type InvitationPorts = Pick<HttpServices, 'authUrl' | 'publicUrl' | 'sendsMail'>

export const invitationRoutes: readonly Route<InvitationPorts>[] = [
  route({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists invitations of people to the tenant, newest first.',
    scope: 'admin',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...INVITATION_STATUSES])),
    }),
    answer: PageOf(Invitation),
    async run({ sql, principal, ...context }, { query }) {
      const now = context.now - principal.clockOffsetMs
      const owner = { tenantId: principal.tenantId, now }
      return mapPage(await listInvitations(sql, owner, query), (row) => invitationView(row, now))
    },
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows an invitation.',
    scope: 'admin',
    params: IdParams,
    answer: Invitation,
    async run({ sql, principal, now }, { params }) {
      const { tenantId, clockOffsetMs } = principal
      const row = await findInvitation(sql, { tenantId, id: params.id })
      if (row === null) throw new Refusal('resource_missing')
      return invitationView(row, now - clockOffsetMs)
    },
  }),
  route({
    method: 'POST',
    paths: [PATH],
    summary: 'Invites a person to the tenant by a one-time link, for seven days.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Invite a person to the tenant.',
    status: 201,
    body: closed({ ...INVITATION_INPUT }),
    answer: SentInvitation,
    run: (context, { body }, ports: InvitationPorts) =>
      write(context, (sql) =>
        invite(sql, worldOf(context, ports), { ...inviterOf(context), ...body }),
      ),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/:id/resend'],
    summary: 'Sends an invitation again with another link; the link of before ends.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Send an invitation again.',
    params: IdParams,
    answer: SentInvitation,
    run: (context, { params }, ports: InvitationPorts) =>
      write(context, (sql) =>
        resend(sql, worldOf(context, ports), { ...inviterOf(context), id: params.id }),
      ),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/:id/revoke'],
    summary: 'Revokes an invitation: its link ends.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Revoke an invitation.',
    params: IdParams,
    answer: Invitation,
    run: (context, { params }) =>
      write(context, async (sql) => {
        const now = context.now - context.principal.clockOffsetMs
        const row = await revoke(sql, { ...inviterOf(context), id: params.id, now })
        return invitationView(row, now)
      }),
  }),
]

function inviterOf({ principal, call }: Context): { tenantId: string; inviterId: string } {
  // The gate in front lets no call pass without an approval.
  return { tenantId: principal.tenantId, inviterId: call.factor?.approvedBy ?? '' }
}

function worldOf(context: Context, ports: InvitationPorts): InviteWorld {
  const { seal, newId, now, principal } = context
  const { sendsMail } = ports
  return { seal, newId, now: now - principal.clockOffsetMs, pagesUrl: pagesUrlOf(ports), sendsMail }
}
