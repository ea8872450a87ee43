// Leads a browser on this machine to the host that passkeys belong to: browsers refuse passkeys for
// an address of numbers.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pagesUrlOf } from '../relying-party.ts'

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
