// The page on which an owner or admin applies for live, and sees what came of it. Spec 5.1.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { newId } from '../../../../shared/id.ts'
import { KYB_INPUT, type KybInput } from '../../../../shared/schemas/kyb.ts'
import {
  type ManagerCall,
  managing,
  type PageServices,
  type Problem,
  peoplePages,
  proofForm,
  proved,
} from '../../../access/web/index.ts'
import { createValidators, schemaRefusal } from '../../../http/gates/validate.ts'
import { longFieldOf } from '../../../http/pages/fields.ts'
import { sendPage } from '../../../http/pages/page.ts'
import { Refusal } from '../../../http/refusal.ts'
import { closed } from '../../../http/route.ts'
import { findTenant } from '../../tenants/index.ts'
import { findApplication } from '../store.ts'
import { requireKnownCodes, submitApplication } from '../submit.ts'
import { applyPage, FIELDS, type TypedFields } from './apply-view.ts'

const PATH = '/going_live/:tenantId'

export function registerKybPages(server: FastifyInstance, services: PageServices): void {
  peoplePages(server, services, (pages) => {
    pages.get(
      PATH,
      managing(services, (call) => show(call, null, null)),
    )
    pages.post(PATH, managing(services, apply))
  })
}

const isInput = createValidators().compile({ schema: closed({ ...KYB_INPUT }) })

/** The application of the form, or the problem with it. */
function inputOf(typed: TypedFields): KybInput | Problem {
  const { address_line1: line1, address_city: city, address_postal_code: postal_code } = typed
  const input = {
    legal_name: typed.legal_name,
    registration_number: typed.registration_number,
    country: typed.country.toUpperCase(),
    address: { line1, city, postal_code, country: typed.address_country.toUpperCase() },
    website: typed.website,
    description: typed.description,
    program: { name: typed.program_name, currency: typed.program_currency.toUpperCase() },
  }
  try {
    if (!isInput(input)) throw schemaRefusal(isInput.errors ?? [], 'body')
    requireKnownCodes(input)
    return input
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { param = '', message = '' } = error.detail
    const name = param.replace(/^\//, '').replaceAll(/[./]/g, '_')
    const label = FIELDS.find((field) => field.name === name)?.label
    return { status: 422, sentence: (label === undefined ? '' : label + ': ') + message }
  }
}

function typedIn({ request }: ManagerCall): TypedFields {
  const read = FIELDS.map(({ name }) => [name, longFieldOf(request, name).trim()])
  return Object.fromEntries(read) as TypedFields
}

async function show(
  call: ManagerCall,
  typed: TypedFields | null,
  problem: Problem | null,
): Promise<FastifyReply> {
  const { services, request, reply, member } = call
  const { tenantId, tenantName } = member
  const tenant = await findTenant(services.sql, tenantId)
  const application = await findApplication(services.sql, tenantId)
  const { done } = request.query as { done?: unknown }
  return sendPage(
    reply,
    applyPage({
      ...{ tenantId, tenantName, application, typed, problem },
      status: tenant?.kybStatus ?? 'pending',
      proof: proofForm(call, 'POST ' + PATH),
      isSent: problem === null && done === 'sent',
    }),
  )
}

async function apply(call: ManagerCall): Promise<FastifyReply> {
  const { request, reply, member } = call
  const typed = typedIn(call)
  const details = inputOf(typed)
  if ('sentence' in details) return show(call, typed, details)
  const { tenantId, personId: submittedBy } = member
  const now = request.admittedAtMs
  const made = await proved(call, (sql) =>
    submitApplication(sql, { tenantId, submittedBy, details, now, id: newId('kyb', now) }),
  )
  if ('sentence' in made) return show(call, typed, made)
  return reply.redirect('/going_live/' + tenantId + '?done=sent', 303)
}
