// Sends the mails of a test's database over SMTP to a receiver.

import { mailJob } from '../../api/access/mails/index.ts'
import { readSmtpSettings, type SmtpSettings } from '../../api/access/mails/smtp.ts'
import type { Sql } from '../../api/database/pool.ts'
import { type MailPeer, type MailPeerOptions, startMailPeer } from '../../scripts/mail-peer/peer.ts'
import { systemClock } from '../../shared/clock.ts'
import { unseal } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import { parseSmtpUrl } from '../../shared/mail-settings.ts'
import { MASTER_KEYS } from './api.ts'
import { silentLog } from './engine-listener.ts'
import { runJob } from './jobs.ts'
import type { Teardown } from './postgres.ts'

export type Mail = MailPeer['mails'][number]

/** A receiver until the end of the test. */
export async function openReceiver(
  t: Teardown,
  options: Partial<MailPeerOptions> = {},
): Promise<MailPeer> {
  const ports = { smtpPort: 0, inboxPort: 0 }
  const peer = await startMailPeer({ ...ports, clock: systemClock, log: silentLog, ...options })
  t.teardown(() => peer.close())
  return peer
}

/** Settings as the dispatcher reads them; throws where they are refused. */
export function smtpTo(
  url: string,
  more: { authority?: string; environment?: 'sandbox' | 'live' } = {},
): SmtpSettings {
  const address = parseSmtpUrl(url)
  if (!address.ok) throw new Error(address.error)
  const problems: string[] = []
  const settings = readSmtpSettings(
    {
      SVC_SMTP_URL: address.value,
      SVC_SMTP_AUTHORITY: more.authority ?? null,
      SVC_MAIL_FROM: 'no-reply@svc.example',
      SVC_ENVIRONMENT: more.environment ?? 'sandbox',
    },
    problems,
  )
  if (settings === null) throw new Error(problems.join('\n'))
  return settings
}

/** Sends every mail that is due at `now` of installation time; returns the attempts. */
export async function sendMails(
  sql: Sql,
  to: MailPeer | SmtpSettings,
  { now, log = silentLog }: { now: number; log?: Logger },
): Promise<number> {
  const settings = 'mails' in to ? smtpTo('smtp://127.0.0.1:' + to.smtpPort) : to
  const { job, close } = mailJob(settings, (context, text) => unseal(MASTER_KEYS, context, text))
  let attempts = 0
  for (let made = -1; made !== 0; attempts += made) made = await runJob(job, { sql, now, log })
  await close()
  return attempts
}

/** The one-time link in a mail. */
export function linkIn({ text }: Pick<Mail, 'text'>): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0]
  if (link === undefined) throw new Error('the mail has no link: ' + text)
  return link
}
