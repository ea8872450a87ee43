// The mail of the sandbox: a receiver of its own, unless the person names a mail server. Live never
// has one of ours.
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import { loopbackPort } from './ports.ts'

const FROM = 'no-reply@svc.localhost'

export interface MailParts {
  /** The receiver among the outside parties, with its settings. */
  parties: readonly StartedParty[]
  api: Environment
  dispatcher: Environment
  ports: { smtp_port?: number; inbox_port?: number }
  /** The page that shows the mails; null where another server gets them. */
  inboxUrl: string | null
}

/** Each process gets only the settings it needs. The receiver keeps its former ports, if free. */
export async function mailParts(
  config: StartConfig,
  former: { smtp: number | null; inbox: number | null },
): Promise<MailParts> {
  if (config.environment === 'live' || config.ownMailServer)
    return { parties: [], api: {}, dispatcher: {}, ports: {}, inboxUrl: null }
  const smtpPort = await loopbackPort(former.smtp)
  const inboxPort = config.inboxPort ?? (await loopbackPort(former.inbox))
  const server = { SVC_SMTP_URL: 'smtp://127.0.0.1:' + smtpPort }
  const from = { SVC_MAIL_FROM: FROM }
  return {
    parties: [{ name: 'mail', environment: { ...server, SVC_INBOX_PORT: String(inboxPort) } }],
    api: from,
    dispatcher: { ...server, ...from },
    ports: { smtp_port: smtpPort, inbox_port: inboxPort },
    inboxUrl: 'http://127.0.0.1:' + inboxPort + '/inbox',
  }
}
