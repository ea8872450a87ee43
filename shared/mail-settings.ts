// Settings of outgoing mail: rows of the one table of settings.
import type { Result } from './result.ts'
import { optionalPath, optionalPort, setting } from './setting-values.ts'

/** A mail server, and the account on it. */
export interface SmtpAddress {
  host: string
  port: number
  /** TLS from the first byte; otherwise the connection begins in clear and STARTTLS follows. */
  implicitTls: boolean
  /** Null: the server takes mail without a sign-in. */
  account: { user: string; password: string } | null
}

const DEFAULT_PORTS: { readonly [protocol: string]: number } = { 'smtp:': 587, 'smtps:': 465 }
const ADDRESS = /^[\w.+-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,187}[a-z0-9])?$/i

/**
 * Parses `smtps://user:password@host:port` or `smtp://…`, or nothing. The sentence of a problem
 * never holds the text: it may hold a password.
 */
export function parseSmtpUrl(text: string): Result<SmtpAddress | null, string> {
  if (text === '') return { ok: true, value: null }
  const url = URL.canParse(text) ? new URL(text) : null
  const port = url === null ? undefined : DEFAULT_PORTS[url.protocol]
  if (url === null || port === undefined || url.hostname === '')
    return refused('must be a URL such as smtps://user:password@mail.example:465')
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    return refused('must end after its host and port')
  if ((url.username === '') !== (url.password === ''))
    return refused('must name both a user and a password, or neither')
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null)
    return refused('holds a % that is not followed by two hex digits: write it as %25')
  return {
    ok: true,
    value: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? port : Number(url.port),
      implicitTls: url.protocol === 'smtps:',
      account: user === '' ? null : { user, password },
    },
  }
}

/** Parses an address of ours, or nothing. */
function parseMailAddress(text: string): Result<string | null, string> {
  if (text === '') return { ok: true, value: null }
  return ADDRESS.test(text)
    ? { ok: true, value: text }
    : refused('must be an email address such as no-reply@svc.example')
}

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export const MAIL_SETTINGS = {
  SVC_SMTP_URL: setting({
    fallback: '',
    about:
      'Mail server: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, which must follow except on loopback in a sandbox. Unset: no mail is sent. `npm start` runs a receiver of its own in the sandbox, which shows the mails at `/inbox`.',
    parse: parseSmtpUrl,
  }),
  SVC_SMTP_AUTHORITY: setting({
    fallback: '',
    about:
      'Authority (PEM file) to trust for the mail server’s certificate, beside the public ones.',
    parse: optionalPath,
  }),
  SVC_MAIL_FROM: setting({
    fallback: '',
    about:
      'Address that our mails come from; the API and the dispatcher need the same value. Unset: the API shows one-time links to the inviting person instead.',
    parse: parseMailAddress,
  }),
  SVC_INBOX_PORT: setting({
    fallback: '',
    about:
      'Port of the sandbox’s inbox on 127.0.0.1; any free one when unset. `npm start` writes it to sandbox.json.',
    parse: optionalPort,
  }),
}
