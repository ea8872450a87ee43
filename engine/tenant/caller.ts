// The authorization request to a tenant and its possible results. Every failure is a value.
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'

export interface EndpointRequest {
  tenantId: string
  endpointId: string
  url: string
  /** Plain secrets, old first; each signs. Never logged. */
  secrets: readonly string[]
  /** The exact bytes to send. */
  body: string
  requestId: string
  /**
   * The end of the wait (epoch ms); `Svc-Deadline-Ms` is the remaining time when the call is sent.
   */
  deadlineAtMs: number
}

export interface TenantReply {
  outcome: TenantOutcome
  httpStatus: number | null
  /** Milliseconds from sending to the end of the reply or the failure. */
  latencyMs: number
  attempts: number
  errorHint: string | null
  /** Present with answered_approve and answered_decline. */
  answer: TenantAnswer | null
  signUs: number
  connectUs: number
}

export interface TenantAnswer {
  approve: boolean
  /** The tenant's own text, at most 64 characters. */
  reason: string | null
  approvedAmountCents: number | null
  metadata: { readonly [name: string]: string } | null
  dropped: readonly string[]
}

/** Microseconds spent on signing and connecting, up to now if the call is still open. */
export interface SpentTimes {
  signUs: number
  connectUs: number
}

/** An authorization request in flight. */
export interface TenantCall {
  /**
   * The reply, even a late one (the call stays open after the deadline, see TENANT_CALL_MS_MAX and
   * LATE_CALLS_MAX), or a failure; never rejects. The caller keeps its own deadline timer.
   */
  reply: Promise<TenantReply>
  /** Times for a caller that stops waiting for the reply; valid at any moment. */
  spent(): SpentTimes
}

export interface TenantCaller {
  /** Calls in flight before their deadline, for one tenant. */
  inFlight(tenantId: string): number
  call(request: EndpointRequest): TenantCall
  close(): Promise<void>
}
