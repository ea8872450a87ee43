// The question to a tenant and what can come back. Every failure is a value.
import type { TenantOutcome } from '../../shared/wire/journal-entry.ts'

export interface TenantQuestion {
  tenantId: string
  endpointId: string
  url: string
  /** Plain secrets, old first; each signs. Never logged. */
  secrets: readonly string[]
  /** The exact bytes to send. */
  body: string
  requestId: string
  /** The moment the wait ends (epoch ms); `Svc-Deadline-Ms` is what is left of it when the call is sent. */
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
  /** The tenant's own words, at most 64 characters. */
  reason: string | null
  approvedAmountCents: number | null
  metadata: { readonly [name: string]: string } | null
  dropped: readonly string[]
}

/** Microseconds that signing and connecting took, so far where the call is still under way. */
export interface SpentTimes {
  signUs: number
  connectUs: number
}

/** A question that is on its way. */
export interface TenantCall {
  /**
   * The reply, also a late one (the call stays open after the deadline, see TENANT_CALL_MS_MAX and LATE_CALLS_MAX), or a
   * failure; never rejects. The caller keeps its own deadline timer.
   */
  reply: Promise<TenantReply>
  /** For whoever gives up waiting for the reply: true at any time. */
  spent(): SpentTimes
}

export interface TenantCaller {
  /** Calls in flight whose deadline has not passed, for one tenant. */
  inFlight(tenantId: string): number
  call(question: TenantQuestion): TenantCall
  close(): Promise<void>
}
