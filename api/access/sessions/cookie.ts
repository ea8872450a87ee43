// The cookie of a session. On https its name begins with __Host-, which browsers accept only with
// Secure, for this host and every path. On plain loopback it is `svc` without Secure: Safari drops
// Secure cookies there.
import type { FastifyRequest } from 'fastify'

const TOKEN = /^[\w-]{43}$/
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

/** A browser that claims another Host changes only the name of its own cookie. */
function isPlain({ protocol, headers }: FastifyRequest): boolean {
  return protocol === 'http' && LOOPBACK.test(headers.host ?? '')
}

function nameFor(request: FastifyRequest): string {
  return isPlain(request) ? 'svc' : '__Host-svc'
}

/** The token in the request's cookie; null without one, or with one that cannot be ours. */
export function sessionToken(request: FastifyRequest): string | null {
  const start = nameFor(request) + '='
  const parts = (request.headers.cookie ?? '').split(';').map((part) => part.trim())
  const [value, ...more] = parts.filter((part) => part.startsWith(start))
  if (value === undefined || more.length > 0) return null
  const token = value.slice(start.length)
  return TOKEN.test(token) ? token : null
}

function cookie(request: FastifyRequest, value: string): string {
  const secure = isPlain(request) ? '' : '; Secure'
  return nameFor(request) + '=' + value + '; Path=/; HttpOnly; SameSite=Lax' + secure
}

/** Text of Set-Cookie; the cookie ends with the browser. */
export function sessionCookie(request: FastifyRequest, token: string): string {
  return cookie(request, token)
}

/** Text of Set-Cookie that removes the cookie. */
export function clearedCookie(request: FastifyRequest): string {
  return cookie(request, '') + '; Max-Age=0'
}
