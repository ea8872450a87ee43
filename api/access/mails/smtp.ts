// Hands a mail to the mail server that the settings name.
import { isIPv4 } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { Transporter } from 'nodemailer'
import { readPem } from '../../../shared/certificate-files.ts'
import type { SmtpAddress } from '../../../shared/mail-settings.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

/** Milliseconds for the name, the connection and the greeting; and for each later answer. */
const CONNECT_MS = 10_000
const ANSWER_MS = 20_000

export interface SmtpSettings extends SmtpAddress {
  /** The mail server of this machine is spoken to in clear; any other only over TLS. */
  inClear: boolean
  /** PEM text of a further authority; null: the public ones alone. */
  authority: string | null
  /** Address that the mails come from. */
  from: string
}

/** Null: no mail is sent. Problems are added to the list. */
export function readSmtpSettings(
  value: {
    SVC_SMTP_URL: SmtpAddress | null
    SVC_SMTP_AUTHORITY: string | null
    SVC_MAIL_FROM: string | null
    SVC_ENVIRONMENT: Environment
  },
  problems: string[],
): SmtpSettings | null {
  const { SVC_SMTP_URL: address, SVC_MAIL_FROM: from, SVC_ENVIRONMENT: environment } = value
  const pem = readPem('SVC_SMTP_AUTHORITY', value.SVC_SMTP_AUTHORITY, problems)
  if (address === null && from === null) return null
  if (address === null || from === null) {
    problems.push('SVC_SMTP_URL and SVC_MAIL_FROM must be set together')
    return null
  }
  const inClear = !address.implicitTls && environment === 'sandbox' && isLoopback(address.host)
  if (inClear && address.account !== null) {
    problems.push('SVC_SMTP_URL must begin with smtps:// where it names a password')
    return null
  }
  return { ...address, inClear, authority: pem?.pem ?? null, from }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

export interface OutgoingMail {
  /** Part of the Message-ID: a mail that arrives twice is recognized by it. */
  id: string
  to: string
  subject: string
  text: string
}

/**
 * Codes of a failure, without any text of the other server, which may repeat parts of the mail.
 * `isFinal`: another attempt would fail in the same way.
 */
export interface SmtpFailure {
  problem: string
  isFinal: boolean
}

export interface Smtp {
  /** Null: the server accepted the mail. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SmtpFailure | null>
  close(): void
}

/** The first mail loads the client: the api, which sends none, would load its 39 modules too. */
export function openSmtp(settings: SmtpSettings): Smtp {
  const { from } = settings
  let opened: Promise<Transporter> | null = null
  const domain = from.slice(from.indexOf('@') + 1)
  return {
    async send({ id, to, subject, text }, signal) {
      try {
        opened ??= openTransport(settings)
        const transport = await opened
        await transport.sendMail({
          from: { name: 'svc', address: from },
          to: { name: '', address: to },
          subject,
          text,
          messageId: '<' + id + '@' + domain + '>',
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        })
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

async function openTransport(settings: SmtpSettings): Promise<Transporter> {
  const { host, port, implicitTls, inClear, account, authority } = settings
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: implicitTls,
    ...(implicitTls ? {} : inClear ? { ignoreTLS: true } : { requireTLS: true }),
    ...(account === null ? {} : { auth: { user: account.user, pass: account.password } }),
    tls: {
      minVersion: 'TLSv1.2',
      ...(authority === null ? {} : { ca: [...rootCertificates, authority] }),
    },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Commands whose permanent refusal concerns this mail, and not our account. */
const ABOUT_MAIL: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA'])

function failureOf(error: unknown): SmtpFailure {
  const { code, responseCode, command } = error as {
    code?: unknown
    responseCode?: unknown
    command?: unknown
  }
  const status = typeof responseCode === 'number' ? responseCode : null
  const refused = status !== null && status >= 500 && ABOUT_MAIL.has(command)
  // Without a status the mail itself cannot be addressed.
  const isFinal = refused || (code === 'EENVELOPE' && status === null)
  const name = typeof code === 'string' && /^[A-Z_0-9]{1,32}$/.test(code) ? code : 'EUNKNOWN'
  return { problem: status === null ? name : name + ' ' + status, isFinal }
}
