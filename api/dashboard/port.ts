// The dashboard's view of the server: sign-in, forms, and a fetch that makes calls of the API.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PersonRole } from '../../shared/schemas/person.ts'
import type { Environment } from '../../shared/wire/config-records.ts'

/** A tenant that the visitor belongs to. */
export interface Member {
  personId: string
  tenantId: string
  tenantName: string
  role: PersonRole
}

/** A signed-in person. */
export interface Visitor {
  identity: {
    id: string
    name: string
    email: string
    /** An authenticator makes codes. */
    hasGenerator: boolean
    hasPasskeys: boolean
  }
  memberships: readonly Member[]
}

/** A passkey's question about exactly one call. */
export interface ApprovalOffer {
  /** Options of `navigator.credentials.get` as JSON. */
  options: string
  /** Our sealed ceremony, for a hidden field. */
  sealed: string
}

export type ApprovalProblem = 'wrong' | 'throttled' | 'late' | 'too_late'

/** An operator who works on pages. */
export interface OperatorAtWork {
  id: string
  name: string
  email: string
}

/** The server's view of operators on pages. */
export interface OperatorPort {
  /** Null for anyone but an operator who signed in by a passkey, from an address of operators. */
  find(request: FastifyRequest): Promise<OperatorAtWork | null>
  /** Answers as if no page were at the address. */
  hide(reply: FastifyReply): FastifyReply
  /** Milliseconds that a page waits for each of its panels. */
  panelMs: number
  /** A fetch that makes each call as this operator; a change carries the proof of its form. */
  openFetch(
    request: FastifyRequest,
    operator: OperatorAtWork,
    proof: OperatorProof | null,
  ): typeof fetch
  /** A passkey's question about exactly one call; null for an operator without a passkey. */
  offerProof(
    request: FastifyRequest,
    operator: OperatorAtWork,
    fingerprint: string,
  ): ApprovalOffer | null
  /**
   * Uses up the passkey's answer in the form of the request, once for the form and its repeats;
   * `isRepeat`: it was used before.
   */
  prove(
    request: FastifyRequest,
    operator: OperatorAtWork,
    fingerprint: string,
  ): Promise<OperatorProof | { sentence: string; isRepeat?: true }>
}

/** The server's evidence that the operator approved one call. */
export interface OperatorProof {
  approvedBy: string
  /** Text of Set-Cookie for the renewed session; null for one that was not renewed. */
  cookie: string | null
}

export interface DashboardPort {
  operators: OperatorPort
  /** Environments that this installation serves. */
  environments: readonly Environment[]
  /** Base URL of the API for people who copy a call, without a slash at its end. */
  apiUrl: string
  docsUrl: string
  /** Milliseconds that a page waits for each of its panels. */
  panelMs: number
  /** Our own text of the script that asks the browser for a passkey. */
  passkeyScript: string
  /** Lets the scope read forms, leads to our own host, and answers errors by `send`. */
  prepare(pages: FastifyInstance, send: (reply: FastifyReply, status: number) => FastifyReply): void
  /** Null for anyone who is not signed in. */
  findVisitor(request: FastifyRequest): Promise<Visitor | null>
  /** Returns true for a form that our own page sent. */
  isOwnForm(request: FastifyRequest): boolean
  /** A fetch that makes each call as this member, with a ticket of its own. */
  openFetch(
    request: FastifyRequest,
    caller: { member: Member; environment: Environment },
  ): Promise<typeof fetch>
  /** Answers the request with a stream of the API, read as this member while the session lives. */
  stream(
    exchange: readonly [request: FastifyRequest, reply: FastifyReply],
    caller: { member: Member; environment: Environment },
    path: string,
  ): Promise<FastifyReply | Readable>
  /** Whether the API lets the role make the call. `path` has `{id}` for an id. */
  mayCall(
    caller: { role: PersonRole; environment: Environment },
    operation: { method: string; path: string },
  ): boolean
  /** Null for a call that nobody waits for. */
  offerApproval(request: FastifyRequest, handle: string): Promise<ApprovalOffer | null>
  /**
   * Approves a call of the visitor by the form of the request: the token of the approval, and the
   * text of Set-Cookie for the renewed session.
   */
  approve(
    request: FastifyRequest,
    approval: { visitor: Visitor; member: Member; handle: string },
  ): Promise<{ token: string; cookie: string | null } | ApprovalProblem>
}
