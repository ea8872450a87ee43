// The log message of every answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpServices } from './services.ts'

/**
 * Logs one message per answer, with the route's pattern: a URL may hold data that does not belong
 * in a log. Every field is one of ours, so no redaction is needed.
 */
export function logAnswers({ log }: Pick<HttpServices, 'log'>) {
  const answers = log.child({}, { redact: [] })
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { principal } = request
    answers.info(
      {
        request_id: request.id,
        correlation_id: correlationId(request.params),
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1000) / 1000,
        tenant_id: principal?.tenantId ?? null,
        key_id: principal?.credential.id ?? null,
        operator_id: request.operatorId,
      },
      'answered',
    )
    done()
  }
}

/** The id of the call's resource, if the path names one: the same in every process's log. */
function correlationId(params: unknown): string | null {
  const named = typeof params === 'object' && params !== null && 'id' in params ? params.id : null
  return typeof named === 'string' && /^[a-z]+_[0-9a-z]{26}$/.test(named) ? named : null
}
