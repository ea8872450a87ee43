// The mail receiver of the sandbox: takes every mail over SMTP and shows it on a page. An outside
// party, which knows nothing of the service.
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { startPeerServer } from '../peer-http.ts'
import type { ReceivedMail } from './dialogue.ts'
import { type InboxMail, inboxPage } from './inbox.ts'
import { readMessage } from './message.ts'
import { startSmtpServer } from './smtp-server.ts'

const MAILS_MAX = 200

export interface MailPeerOptions {
  /** Ports of SMTP and of the pages; 0: any free one. */
  smtpPort: number
  inboxPort: number
  clock: Clock
  log: Logger
  tls?: SecureContext
  implicitTls?: boolean
  account?: { user: string; password: string }
}

export interface MailPeer {
  smtpPort: number
  /** Address of the pages, without a path. */
  url: string
  /** Oldest first. */
  mails: readonly InboxMail[]
  close(): Promise<void>
}

/** Listens on loopback; rejects where a port is taken. */
export async function startMailPeer(options: MailPeerOptions): Promise<MailPeer> {
  const { smtpPort, inboxPort, clock, log } = options
  const mails: InboxMail[] = []
  let number = 0
  const delayed = new Set<string>()
  const receive = ({ source, to, encrypted }: ReceivedMail): void => {
    number += 1
    const message = readMessage(source)
    mails.push({ ...message, number, recipients: to, encrypted, at: clock.nowMs() })
    if (mails.length > MAILS_MAX) mails.shift()
    log.info({ number, recipients: to.length }, 'mail received')
  }
  const refuse = (recipient: string): string | null => refusalOf(recipient, delayed)
  const smtp = await startSmtpServer({ ...options, port: smtpPort, refuse, receive })
  const pages = await startPeerServer(inboxPort, ({ method, url }) =>
    method === 'GET' || method === 'HEAD'
      ? inboxPage(url.split('?', 1)[0] ?? '', mails)
      : { status: 405, body: { error: 'get_only' } },
  )
  return {
    smtpPort: smtp.port,
    url: pages.url,
    mails,
    async close() {
      await pages.close()
      await smtp.close()
    },
  }
}

/**
 * The part before the @ chooses what happens, so a developer can cause every case on purpose:
 * `bounce…` is unknown for ever, `later…` is refused the first time.
 */
function refusalOf(recipient: string, delayed: Set<string>): string | null {
  if (recipient.startsWith('bounce')) return '550 no such mailbox'
  if (!recipient.startsWith('later') || delayed.has(recipient)) return null
  delayed.add(recipient)
  return '451 try again later'
}
