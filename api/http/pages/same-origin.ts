// A form counts only if our own page sent it.
import type { FastifyRequest } from 'fastify'

/**
 * Browsers send Sec-Fetch-Site, older ones the Origin of a form. A browser that sends neither is
 * too old to be trusted with a form.
 */
export function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = headers
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === headers.host
}
