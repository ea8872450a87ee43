// The rate limits in an answer: the four headers of Spec 8, and the refusal beyond a limit.
import type { FastifyReply } from 'fastify'
import type { EpochMs } from '../../../shared/clock.ts'
import type { ErrorCode } from '../../../shared/error-catalog.ts'
import { Refusal } from '../refusal.ts'
import type { RateLimitStatus } from './token-bucket.ts'

type LimitHeader =
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'X-RateLimit-Resource'

/** `Reset` is when `Remaining` is the limit again. */
export function limitHeaders(
  rateLimitStatus: RateLimitStatus,
  now: EpochMs,
): { [Name in LimitHeader]: string } {
  const { limit, remaining, wholeInMs, resource } = rateLimitStatus
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil((now + wholeInMs) / 1000)),
    'X-RateLimit-Resource': resource,
  }
}

export function setRateLimitHeaders(
  reply: FastifyReply,
  rateLimitStatus: RateLimitStatus,
  now: EpochMs,
): void {
  const headers = limitHeaders(rateLimitStatus, now)
  reply.header('X-RateLimit-Limit', headers['X-RateLimit-Limit'])
  reply.header('X-RateLimit-Remaining', headers['X-RateLimit-Remaining'])
  reply.header('X-RateLimit-Reset', headers['X-RateLimit-Reset'])
  reply.header('X-RateLimit-Resource', headers['X-RateLimit-Resource'])
}

/** Spec 7: both say the same, one in whole seconds. */
export function tooMany(
  code: Extract<ErrorCode, `${string}_limit`>,
  waitMs: number,
  headers: { readonly [name: string]: string } = {},
): Refusal {
  return new Refusal(code, {
    extra: { retry_after_ms: waitMs },
    headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)), ...headers },
  })
}
