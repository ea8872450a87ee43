// Rights of roles: permits() over the table of roles, for the real routes.
import { test } from 'tap'
import { GRANTS, mayApprove, mayManage } from '../../api/access/people/grants.ts'
import { permits } from '../../api/http/gates/permit.ts'
import { ROUTES } from '../../api/routes.ts'
import { PERSON_ROLES, type PersonRole } from '../../shared/schemas/person.ts'
import type { Environment } from '../../shared/wire/config-records.ts'

const TENANT_ROUTES = ROUTES.filter(({ caller }) => caller === 'tenant')

function may(role: PersonRole, environment: Environment, call: string): boolean {
  const route = TENANT_ROUTES.find(({ method, paths }) => method + ' ' + paths[0] === call)
  if (route === undefined) throw new Error('no route ' + call)
  return permits({ granted: ['role:' + role], environment }, route)
}

test('each role may call its operations and no others', (t) => {
  const cases: readonly [string, Partial<Record<PersonRole, string>>][] = [
    ['GET /v1/cards', { developer: 'both', analyst: 'both', support: 'both' }],
    ['POST /v1/cards', { developer: 'sandbox' }],
    ['POST /v1/cards/:id/suspend', { developer: 'sandbox', support: 'both' }],
    ['POST /v1/cards/:id/terminate', { developer: 'sandbox' }],
    ['POST /v1/cardholders/:id/freeze', { developer: 'sandbox', support: 'both' }],
    ['GET /v1/events', { developer: 'both', analyst: 'both' }],
    ['GET /v1/card_transactions/stream', { developer: 'both', analyst: 'both' }],
    ['POST /v1/webhook_endpoints', { developer: 'both' }],
    ['POST /v1/api_keys', { developer: 'sandbox' }],
    ['GET /v1/audit_log', { developer: 'sandbox' }],
    ['GET /v1/people', {}],
    ['GET /v1/account', { developer: 'both', analyst: 'both' }],
    ['PATCH /v1/account', {}],
    ['GET /v1/billing/subscription', { analyst: 'both' }],
  ]
  for (const [call, expected] of cases) {
    for (const role of PERSON_ROLES) {
      const where = role === 'owner' || role === 'admin' ? 'both' : (expected[role] ?? 'none')
      t.equal(may(role, 'sandbox', call), where !== 'none', role + ' in the sandbox: ' + call)
      t.equal(may(role, 'live', call), where === 'both', role + ' in live: ' + call)
    }
  }
  t.end()
})

test('every path of the table of roles belongs to a route', (t) => {
  const paths = TENANT_ROUTES.flatMap(({ method, paths: own }) => [
    ...own,
    ...own.map((path) => method + ' ' + path),
  ])
  const named = Object.values(GRANTS)
    .flatMap((role) => Object.values(role))
    .flatMap(({ operations, except }) => [...operations, ...except])
  t.ok(named.length > 5)
  t.same(
    named.filter((path) => !paths.some((other) => other === path || other.startsWith(path + '/'))),
    [],
  )
  t.end()
})

test('people approve and manage within their role', (t) => {
  t.same(
    PERSON_ROLES.filter((role) => mayApprove(role, 'live')),
    ['owner', 'admin'],
  )
  t.same(
    PERSON_ROLES.filter((role) => mayApprove(role, 'sandbox')),
    ['owner', 'admin', 'developer'],
  )
  t.same(
    PERSON_ROLES.filter((role) => mayManage('admin', role)),
    ['admin', 'developer', 'analyst', 'support'],
  )
  t.same(
    PERSON_ROLES.filter((role) => mayManage('developer', role)),
    [],
  )
  t.end()
})
