// The tools of a probe: authorization requests of its own, secrets to sign them, and connections.
import type { Clock } from '../../../../shared/clock.ts'
import { type AuthorizationRequest, type Purchase, requestAbout } from './authorization-request.ts'
import type { Caller } from './call.ts'
import type { Observation } from './observe.ts'
import { type ProbeRequest, signedRequest } from './signed-request.ts'

export interface Probe {
  name: string
  /** Description of the request for people. No secrets. */
  sent: string
  expected: string
  observe(bench: Bench): Promise<Observation>
}

export interface BenchParts {
  certificationId: string
  url: URL
  /** The endpoint's active secrets, old first. */
  secrets: readonly string[]
  /** A secret that the endpoint has never had. */
  strangerSecret: string
  apiVersion: string
  clock: Clock
  caller: Caller
  /** Connections that no other probe has used, one at a time. */
  openFreshCaller(): Caller
}

export class Bench {
  readonly parts: BenchParts

  constructor(parts: BenchParts) {
    this.parts = parts
  }

  /**
   * Returns an authorization request for this probe. Every probe has its own amount, so a tenant's
   * log tells them apart.
   */
  request(amountCents: number, change: Partial<Purchase> = {}): AuthorizationRequest {
    const { apiVersion, clock } = this.parts
    const purchase: Purchase = {
      kind: 'authorization',
      transactionType: 'purchase',
      currency: 'USD',
      ...change,
      amountCents,
    }
    return requestAbout(purchase, apiVersion, clock.nowMs())
  }

  /** Signs like a real request, or with other secrets or another time. */
  sign(
    requestId: string,
    body: string,
    change: { secrets?: readonly string[]; ageS?: number } = {},
  ): ProbeRequest {
    const { certificationId, clock } = this.parts
    const secrets = change.secrets ?? this.parts.secrets
    const signing = { secrets, requestId, now: clock.nowMs(), certificationId }
    return signedRequest(body, signing, change.ageS)
  }

  /** Returns the HTTP request of an authorization request as really sent. */
  ask(request: AuthorizationRequest): ProbeRequest {
    return this.sign(request.id, JSON.stringify(request))
  }
}
