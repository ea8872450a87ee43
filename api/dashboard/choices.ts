// Choices of a reader in one browser: theme and keyboard. They are no secret and need no session.
import type { FastifyRequest } from 'fastify'
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

/** Text of Set-Cookie with the choice of the form. */
export function saveChoices(request: FastifyRequest): string {
  const known = readChoices(request)
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const theme =
    ['system', 'light', 'dark'].find((each) => each === form.get('theme')) ?? known.theme
  const keys =
    ['on', 'off'].find((each) => each === form.get('keys')) ?? (known.hasKeys ? 'on' : 'off')
  return 'svc-look=' + theme + '-' + keys + '; Path=/d; SameSite=Lax; Max-Age=' + YEAR_S
}
