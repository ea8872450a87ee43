// The parts that every answer of the API has: the headers of Spec 8 and the one shape of errors of
// Spec 7.
import { ERRORS } from '../../shared/error-catalog.ts'
import type { Answer } from './api.ts'

/** Names the missing or wrong part; null if all are right. */
export function shapeProblem({ status, headers, body }: Answer): string | null {
  for (const name of ['limit', 'remaining', 'reset'])
    if (!/^\d+$/.test(headers.get('x-ratelimit-' + name) ?? '')) return 'no limit header ' + name
  if (!headers.get('x-ratelimit-resource')) return 'no bucket'
  if (!/^req_[0-9a-z]{26}$/.test(headers.get('request-id') ?? '')) return 'no request id'
  if (!/^\d{4}-\d{2}-\d{2}$/.test(headers.get('svc-version') ?? '')) return 'no version'
  if (status < 400) return null
  const { type, code, message, param, request_id, doc_url } = body.error
  const row = ERRORS[code as keyof typeof ERRORS]
  if (row?.status !== status || row.type !== type) return 'not as the catalog says'
  if (typeof message !== 'string' || message === '') return 'no message'
  if (param !== null && (typeof param !== 'string' || param === '')) return 'no param'
  if (request_id !== headers.get('request-id')) return 'another request id'
  return doc_url === 'https://svc.test/docs/errors#' + code ? null : 'no doc_url'
}
