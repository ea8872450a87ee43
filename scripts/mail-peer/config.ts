// The settings of the sandbox's mail receiver. Only this file of the process reads the environment.
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'

export interface MailPeerConfig {
  smtpPort: number
  inboxPort: number
}

/** The configuration, or a sentence per problem. */
export function readMailPeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<MailPeerConfig, readonly string[]> {
  const settings = readSettings(environment, ['SVC_SMTP_URL', 'SVC_INBOX_PORT'])
  if (!settings.ok) return settings
  const { SVC_SMTP_URL: address, SVC_INBOX_PORT: inboxPort } = settings.value
  if (address?.host !== '127.0.0.1' || inboxPort === null)
    return {
      ok: false,
      error: ['SVC_SMTP_URL must say a port of 127.0.0.1, and SVC_INBOX_PORT another'],
    }
  return { ok: true, value: { smtpPort: address.port, inboxPort } }
}
