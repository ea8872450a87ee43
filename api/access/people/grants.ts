// Rights of each role in each environment. permits() alone reads GRANTS.
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

/** Rights of a role. Paths include every path below them. */
export interface Grant {
  scopes: readonly string[]
  /** Paths of operations beyond the scopes. */
  operations: readonly string[]
  /** Paths, or a method and a path, that the scopes would cover and the role may not call. */
  except: readonly string[]
}

const PEOPLE = ['/v1/people', '/v1/invitations']
/** The version that a tenant pins holds in both environments. */
const NOT_DEVELOPERS = [...PEOPLE, '/v1/billing', 'PATCH /v1/account']
const EVERYTHING: Grant = { scopes: ['admin'], operations: [], except: [] }
const ANALYSIS: Grant = { scopes: ['read'], operations: [], except: ['/v1/factor_challenges'] }
const SUPPORT: Grant = {
  scopes: ['card:read'],
  operations: [
    '/v1/cards/:id/suspend',
    '/v1/cards/:id/resume',
    '/v1/cards/:id/evaluate',
    '/v1/cardholders/:id/freeze',
  ],
  // It counts over all cards.
  except: ['/v1/card_transactions/stream'],
}

export const GRANTS: {
  readonly [Role in PersonRole]: { readonly [In in Environment]: Grant }
} = {
  owner: { sandbox: EVERYTHING, live: EVERYTHING },
  admin: { sandbox: EVERYTHING, live: EVERYTHING },
  developer: {
    sandbox: { scopes: ['admin'], operations: [], except: NOT_DEVELOPERS },
    live: {
      scopes: ['read'],
      operations: ['/v1/webhook_endpoints', '/v1/webhook_deliveries'],
      except: NOT_DEVELOPERS,
    },
  },
  analyst: { sandbox: ANALYSIS, live: ANALYSIS },
  support: { sandbox: SUPPORT, live: SUPPORT },
}

/** Owners and admins approve calls that need a second factor, developers those of the sandbox. */
export function mayApprove(role: PersonRole, environment: Environment): boolean {
  return role === 'owner' || role === 'admin' || (role === 'developer' && environment === 'sandbox')
}

const RANKS: { readonly [Role in PersonRole]: number } = {
  owner: 3,
  admin: 2,
  developer: 1,
  analyst: 0,
  support: 0,
}

/** Returns true if a person of the role may give, change or take the other role. */
export function mayManage(role: PersonRole, other: PersonRole): boolean {
  return RANKS[role] >= RANKS.admin && RANKS[other] <= RANKS[role]
}
