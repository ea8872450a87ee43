// The parts of the server that the pages of operators get: their reads and changes are calls of the
// operators' API through all gates, with a one-time ticket instead of a credential.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assert } from '../../shared/assert.ts'
import { cookieForRepeat, renewSession, sessionCookie } from '../access/sessions/index.ts'
import {
  endingPage,
  forgetPerson,
  type PageServices,
  proofForm,
  provePerson,
  type SignedCall,
  sentForm,
  takeProvedForm,
  wasSent,
} from '../access/web/index.ts'
import type { OperatorAtWork, OperatorPort, OperatorProof } from '../dashboard/port.ts'
import { tx } from '../database/transaction.ts'
import { type FoundOperator, operatorFinder } from '../platform/operators/index.ts'
import type { Evidence } from '../write/evidence.ts'
import type { GateParts } from './gates/parts.ts'
import { innerFetch } from './inner-fetch.ts'
import { sendPage } from './pages/page.ts'
import type { HttpServices } from './services.ts'

type Known = OperatorAtWork & FoundOperator
type Proof = OperatorProof & { evidence: Evidence }

const USED = { sentence: 'This form was sent before.', isRepeat: true } as const
const NO_PASSKEY = { sentence: 'An operator’s change needs a passkey. Nothing was done.' }

/** Builds the operators' view of this server. */
export function operatorPort(
  server: FastifyInstance,
  { services, parts }: { services: HttpServices; parts: GateParts },
): OperatorPort {
  const find = operatorFinder(services)
  const callOf = (request: FastifyRequest, operator: OperatorAtWork): Omit<SignedCall, 'reply'> => {
    const { session } = knownOf(operator)
    return { services: services as PageServices, request, session }
  }
  return {
    panelMs: services.panelMs,
    async find(request) {
      const found = await find(request)
      if (found === null) return null
      const { name, email } = found.session.identity
      const known: Known = { ...found, id: found.operatorId, name, email }
      return known
    },
    hide: (reply) => sendPage(reply, endingPage('closed')),
    openFetch(request, operator, proof) {
      const { operatorId } = knownOf(operator)
      const approval = proof === null ? null : approvalOf(proof as Proof)
      const address = request.clientAddress
      return innerFetch(server, parts, { request, ticket: { operatorId, approval, address } })
    },
    offerProof(request, operator, fingerprint) {
      const action = 'POST ' + request.routeOptions.url
      const { passkey } = proofForm(callOf(request, operator) as SignedCall, action, fingerprint)
      return passkey === 'later' ? null : passkey
    },
    async prove(request, operator, fingerprint) {
      const call = callOf(request, operator) as SignedCall
      const form = sentForm(call, [fingerprint])
      const isRepeat = (): Promise<boolean> => wasSent(services.sql, form)
      const proved = await provePerson(call, fingerprint, isRepeat)
      if ('sentence' in proved) return (await isRepeat()) ? USED : proved
      const { factor, evidence } = proved
      if (factor !== 'passkey' || evidence === undefined) return NO_PASSKEY
      const proof: Omit<Proof, 'cookie'> = { approvedBy: operator.id, evidence }
      const { session } = call
      let token: string | null = null
      const taken = await tx(
        services.sql,
        async (sql) => {
          const outcome = await takeProvedForm(sql, proved, form)
          const now = request.admittedAtMs
          if (outcome === 'taken') token = await renewSession(sql, session, { factor, now })
          return outcome
        },
        request,
      )
      if (taken === 'used') return USED
      // The second click makes the same call under the same key: the API answers it as the first.
      if (taken === 'repeated')
        return { ...proof, cookie: await cookieForRepeat(services, request, session) }
      forgetPerson(services, session)
      return { ...proof, cookie: token === null ? null : sessionCookie(request, token) }
    },
  }
}

function approvalOf({ approvedBy, evidence }: Proof): { approvedBy: string; evidence: Evidence } {
  return { approvedBy, evidence }
}

/** The pages give back the operator that `find` returned. */
function knownOf(operator: OperatorAtWork): Known {
  assert('session' in operator, 'an operator at work has a session')
  return operator as Known
}
