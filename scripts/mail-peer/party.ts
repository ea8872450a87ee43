// The sandbox's mail receiver as an outside party; a mail server of the settings replaces it.
import { systemClock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import { readMailPeerConfig } from './config.ts'
import { startMailPeer } from './peer.ts'

const HELP = `mail: the mail receiver, unless SVC_SMTP_URL names another. It takes every mail at the port of SVC_SMTP_URL and shows
it at http://127.0.0.1:SVC_INBOX_PORT/inbox. Addresses that begin with bounce are unknown to it; it refuses those that begin with
later once.
`

export const mailParty: Party = { help: HELP, configure }

function configure(): Result<ConfiguredParty, readonly string[]> {
  const config = readMailPeerConfig()
  if (!config.ok) return config
  const { smtpPort, inboxPort } = config.value
  return {
    ok: true,
    value: {
      port: smtpPort,
      async start(log) {
        const peer = await startMailPeer({ smtpPort, inboxPort, clock: systemClock, log })
        return { url: peer.url + '/inbox' }
      },
    },
  }
}
