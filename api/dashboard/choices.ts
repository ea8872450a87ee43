// Choices of a reader in one browser: theme and keyboard. They are no secret and need no session.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Theme } from './frame.ts'

export interface Choices {
  theme: Theme
  hasKeys: boolean
}

const YEAR_S = 31_536_000

/** The choices in the cookie; the defaults for anything else. */
export function readChoices({ headers }: FastifyRequest): Choices {
  const found = /(?:^|;\s*)svc-look=(system|light|dark)-(on|off)(?:;|$)/.exec(headers.cookie ?? '')
  return { theme: (found?.[1] ?? 'system') as Theme, hasKeys: found?.[2] !== 'off' }
}

/**
 * Texts of Set-Cookie with the choice of the form: pages of tenants and of operators have one look.
 * The cookie of before stood below `/d` alone and would win there.
 */
function cookiesOf(request: FastifyRequest): string[] {
  const known = readChoices(request)
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const theme =
    ['system', 'light', 'dark'].find((each) => each === form.get('theme')) ?? known.theme
  const keys =
    ['on', 'off'].find((each) => each === form.get('keys')) ?? (known.hasKeys ? 'on' : 'off')
  return [
    'svc-look=' + theme + '-' + keys + '; Path=/; SameSite=Lax; Max-Age=' + YEAR_S,
    'svc-look=; Path=/d; SameSite=Lax; Max-Age=0',
  ]
}

/** Keeps the choice of the form, and leads back to the page of ours that it stood on. */
export function keepChoices(
  request: FastifyRequest,
  reply: FastifyReply,
  home: string,
): FastifyReply {
  reply.header('Set-Cookie', cookiesOf(request))
  return reply.redirect(backOf(request) ?? home, 303)
}

/** The page of ours that the form stood on. */
function backOf({ headers }: FastifyRequest): string | null {
  const { referer, host } = headers
  if (referer === undefined || !URL.canParse(referer)) return null
  const { host: from, pathname, search } = new URL(referer)
  return from === host && /^\/(?:d|operator)(?:\/|$)/.test(pathname) ? pathname + search : null
}
