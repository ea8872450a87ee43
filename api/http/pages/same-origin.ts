// A form counts only if our own page sent it, and from the host that passkeys belong to.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pagesUrlOf } from '../relying-party.ts'

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

const NUMBERS = /^(?:127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** Redirects (308) from 127.0.0.1 to the same page at localhost, if our pages stand there. */
export function leadToOwnHost(services: { authUrl: string | null; publicUrl: string }) {
  const own = new URL(pagesUrlOf(services))
  return async ({ headers, url }: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const port = NUMBERS.exec(headers.host ?? '')?.[1]
    if (own.hostname !== 'localhost' || port !== ':' + own.port) return undefined
    return reply.redirect(own.origin + url, 308)
  }
}
