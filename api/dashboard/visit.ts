// Turns a request into a visit: the person, the tenant and environment of the path, the calls.
import type { FastifyRequest } from 'fastify'
import { OPERATIONS } from '../../client/generated.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import { type Caller, openCaller } from './calls.ts'
import { type Answers, type Call, NOT_YOURS, type OperationName, type Visit } from './page.ts'
import type { DashboardPort, Visitor } from './port.ts'

export interface Opened {
  visit: Visit
  caller: Caller
}

/** `null`: the person does not belong to the tenant of the path, or nothing serves it. */
export async function openVisit(
  port: DashboardPort,
  request: FastifyRequest,
  visitor: Visitor,
): Promise<Opened | null> {
  const { tenant, environment: named, ...params } = request.params as { [name: string]: string }
  const member = visitor.memberships.find(({ tenantId }) => tenantId === tenant)
  const environment = port.environments.find((each) => each === named)
  if (member === undefined || environment === undefined) return null
  const fetch = await port.openFetch(request, { member, environment })
  const caller = openCaller(fetch, port.panelMs)
  const root = rootOf(member.tenantId, environment)
  const [path = ''] = request.url.split('?', 1)
  const others = port.environments.filter((each) => each !== environment)
  // A path may be written in other ways than ours.
  const below =
    /^[\w/.-]*$/.test(path) && path.startsWith(root) ? path.slice(root.length) : '/overview'
  const visit: Visit = {
    ...{ params, visitor, member, environment },
    others: others.map((each) => ({
      environment: each,
      address: rootOf(member.tenantId, each) + below,
    })),
    query: new URLSearchParams(request.url.split('?').slice(1).join('?')),
    now: request.admittedAtMs,
    apiUrl: port.apiUrl,
    docsUrl: port.docsUrl,
    to: (path) => root + path,
    may: (operation) => port.mayCall({ role: member.role, environment }, OPERATIONS[operation]),
    ask: (calls) => askAllowed(calls, caller, (operation) => visit.may(operation)),
    need: caller.need,
  }
  return { visit, caller }
}

async function askAllowed<Calls extends { [name: string]: Call }>(
  calls: Calls,
  caller: Caller,
  may: (operation: OperationName) => boolean,
): Promise<Answers<Calls>> {
  const all = Object.entries(calls)
  const allowed = all.filter(([, { operation }]) => may(operation))
  const refused = all.filter(([, { operation }]) => !may(operation))
  const answers = await caller.ask(Object.fromEntries(allowed))
  const none = refused.map(([name]) => [name, { ok: false, problem: NOT_YOURS }])
  return { ...answers, ...Object.fromEntries(none) }
}

/** The address below which all pages of a tenant and environment are. */
export function rootOf(tenantId: string, environment: Environment): string {
  return '/d/' + tenantId + '/' + environment
}
