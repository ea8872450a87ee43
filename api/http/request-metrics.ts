// Requests that the API answered, as Prometheus counts them. Labels are bounded: a route is its
// pattern, never the path as it came.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Histogram } from '../../shared/histogram.ts'
import { countLines, familyLines } from '../../shared/metric-text.ts'

/** Upper bounds in milliseconds. */
const BUCKETS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const
/** The route label of a request that matches no route. */
const NO_ROUTE = 'none'

declare module 'fastify' {
  interface FastifyReply {
    /** The code of the error that is answered; null for a success. */
    refusedWith: string | null
  }
  interface FastifyRequest {
    /** How a second factor went in this request; null where none was asked for or given. */
    factorOutcome: FactorOutcome | null
  }
}

/**
 * `asked`: a call waits for a person from now on. Then the person approved or denied it, or gave a
 * wrong proof, too many of them, an outdated form, or an answer to a call that waits no more.
 */
export type FactorOutcome =
  | 'asked'
  | 'approved'
  | 'denied'
  | 'wrong'
  | 'throttled'
  | 'late'
  | 'too_late'

export class RequestMetrics {
  /** By route and status class, as the labels are written. */
  readonly #requests = new Map<string, Histogram>()
  readonly #refusals = new Map<string, number>()
  readonly #factors = new Map<FactorOutcome, number>()
  #replayed = 0

  /** For the hook that runs once an answer has left. */
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const route = request.routeOptions.url ?? NO_ROUTE
    const method = route === NO_ROUTE ? NO_ROUTE : request.method
    const status = Math.floor(reply.statusCode / 100) + 'xx'
    const labels = 'method="' + method + '",route="' + route + '",status="' + status + '"'
    let times = this.#requests.get(labels)
    if (times === undefined) {
      times = new Histogram(BUCKETS_MS, 1000)
      this.#requests.set(labels, times)
    }
    times.observe(reply.elapsedTime)
    const { refusedWith } = reply
    if (refusedWith !== null)
      this.#refusals.set(refusedWith, (this.#refusals.get(refusedWith) ?? 0) + 1)
    const { factorOutcome } = request
    if (factorOutcome !== null)
      this.#factors.set(factorOutcome, (this.#factors.get(factorOutcome) ?? 0) + 1)
    if (reply.hasHeader('idempotent-replayed')) this.#replayed += 1
  }

  lines(): string[] {
    const name = 'svc_request_seconds'
    const times = [...this.#requests].flatMap(([labels, histogram]) =>
      histogram.lines(name, labels),
    )
    const help = 'Time until a request was answered, by route and class of status.'
    const replayed = 'svc_idempotent_replays_total'
    return [
      ...familyLines({ name, type: 'histogram', help }, times),
      ...countLines(
        {
          name: 'svc_refusals_total',
          label: 'code',
          help: 'Requests that were refused, by error code.',
        },
        this.#refusals,
      ),
      ...countLines(
        {
          name: 'svc_factor_challenges_total',
          label: 'outcome',
          help: 'Calls that asked for a second factor, and how persons answered.',
        },
        this.#factors,
      ),
      ...familyLines(
        {
          name: replayed,
          type: 'counter',
          help: 'Answers that an Idempotency-Key got again.',
        },
        [replayed + ' ' + this.#replayed],
      ),
    ]
  }
}
