// The endpoints of members. Each call needs a person's approval, and the role of that person
// decides: if any key could change people, they would protect nothing.
import { unixSeconds } from '../../../shared/clock.ts'
import { Person, PersonRecovery, ROLE_CHANGE } from '../../../shared/schemas/person.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { pagesUrlOf } from '../../http/relying-party.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { HttpServices } from '../../http/services.ts'
import { write } from '../../write/write.ts'
import type { MailWorld } from '../mails/index.ts'
import { type PersonRow, personView } from '../people/index.ts'
import {
  changeMemberRole,
  disableMember,
  enableMember,
  type MemberChange,
  removeFromTenant,
} from './change.ts'
import { letIn } from './let-in.ts'

const PATH = '/v1/people/:id'

/** Parts of the process that links to members need. */
type MemberPorts = Pick<HttpServices, 'authUrl' | 'publicUrl' | 'sendsMail'>

export const memberRoutes: readonly Route<MemberPorts>[] = [
  route({
    method: 'PATCH',
    paths: [PATH],
    summary: 'Changes the role of a person, never above that of the approving one.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Change the role of a person.',
    params: IdParams,
    body: closed({ ...ROLE_CHANGE }),
    answer: Person,
    run: (context, { params, body }) =>
      makeMemberChange(context, params.id, (sql, world, call) =>
        changeMemberRole(sql, world, { ...call, role: body.role }),
      ),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/disable'],
    summary: 'Disables a person: they approve nothing any more. The last owner stays.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Disable a person.',
    params: IdParams,
    answer: Person,
    run: (context, { params }) => makeMemberChange(context, params.id, disableMember),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/enable'],
    summary: 'Lets a disabled person approve again, with what they had.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Enable a person.',
    params: IdParams,
    answer: Person,
    run: (context, { params }) => makeMemberChange(context, params.id, enableMember),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/remove'],
    summary: 'Removes a person from the tenant; an invitation brings them back.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Remove a person from the tenant.',
    params: IdParams,
    answer: Person,
    run: (context, { params }) => makeMemberChange(context, params.id, removeFromTenant),
  }),
  route({
    method: 'POST',
    paths: [PATH + '/let_in'],
    summary: 'Lets a person in again who lost every factor, by a one-time link for 24 hours.',
    scope: 'admin',
    entitled: 'always',
    factor: 'Let a person in again without their second factors.',
    params: IdParams,
    answer: PersonRecovery,
    run: (context, { params }, ports: MemberPorts) =>
      write(context, async (sql) => {
        const { sendsMail } = ports
        const world = { ...worldOf(context), pagesUrl: pagesUrlOf(ports), sendsMail }
        const { person, url, endsAt } = await letIn(sql, world, callOf(context, params.id))
        return { ...personView(person), url, expires_at: unixSeconds(endsAt) }
      }),
  }),
]

function makeMemberChange(
  context: Context,
  personId: string,
  change: (sql: TxSql, world: MailWorld, call: MemberChange) => Promise<PersonRow>,
): Promise<Person> {
  return write(context, async (sql) =>
    personView(await change(sql, worldOf(context), callOf(context, personId))),
  )
}

function worldOf({ seal, now, principal }: Context): MailWorld {
  return { seal, now: now - principal.clockOffsetMs }
}

function callOf({ principal, call }: Context, personId: string): MemberChange {
  // The gate in front lets no call pass without an approval.
  const byId = call.factor?.approvedBy ?? ''
  return { tenantId: principal.tenantId, byId, personId, address: call.clientAddress }
}
