// A token bucket: a call takes one token, tokens come back evenly, and twice the limit of a minute
// is the most it holds. Spec 8. Time is an argument, in milliseconds of a clock that never goes
// back.

/** Spec 8: bursts up to twice the limit of a minute. */
const BURST = 2
const MINUTE_MS = 60_000
/** Margin of a wait against rounding, so that the next call passes. */
const MARGIN_MS = 0.001

/** How a bucket stands, for the headers of an answer. */
export interface RateLimitStatus {
  /** The bucket's name. */
  resource: string
  /** Calls per minute. */
  limit: number
  /**
   * Chosen: the burst beyond the limit is an unadvertised reserve. The remaining number falls from
   * the limit to 0 while the reserve still serves.
   */
  remaining: number
  /** Milliseconds until the reserve is whole again. */
  wholeInMs: number
}

/**
 * The result of a call. `waitMs` is 0 if it passed, else the whole milliseconds after which the
 * next one passes.
 */
export interface Verdict {
  waitMs: number
  rateLimitStatus: RateLimitStatus
}

export class TokenBucket {
  readonly #resource: string
  readonly #limit: number
  #tokens: number
  #atMs: number

  constructor(resource: string, limit: number, nowMs: number) {
    this.#resource = resource
    this.#limit = limit
    this.#tokens = capacity(limit)
    this.#atMs = nowMs
  }

  take(nowMs: number): Verdict {
    const tokens = this.#level(nowMs)
    const passed = tokens >= 1
    this.#tokens = passed ? tokens - 1 : tokens
    this.#atMs = nowMs
    return {
      waitMs: passed ? 0 : waitMs(tokens, this.#limit),
      rateLimitStatus: rateLimitStatusOf(this.#resource, this.#limit, this.#tokens),
    }
  }

  rateLimitStatus(nowMs: number): RateLimitStatus {
    return rateLimitStatusOf(this.#resource, this.#limit, this.#level(nowMs))
  }

  #level(nowMs: number): number {
    return Math.min(capacity(this.#limit), this.#tokens + refill(this.#limit, nowMs - this.#atMs))
  }
}

/** The status of a bucket with this number of tokens. */
export function rateLimitStatusOf(
  resource: string,
  limit: number,
  tokens: number,
): RateLimitStatus {
  return {
    resource,
    limit,
    remaining: Math.max(0, Math.floor(tokens) - limit),
    wholeInMs: ((capacity(limit) - tokens) * MINUTE_MS) / limit,
  }
}

/** The most a bucket of this limit holds. */
export function capacity(limit: number): number {
  return BURST * limit
}

/** Tokens that come back in that time. */
export function refill(limit: number, elapsedMs: number): number {
  return (elapsedMs * limit) / MINUTE_MS
}

/** Whole milliseconds until a bucket with so many tokens, less than one, has one. */
export function waitMs(tokens: number, limit: number): number {
  return Math.ceil(((1 - tokens) * MINUTE_MS) / limit + MARGIN_MS)
}
