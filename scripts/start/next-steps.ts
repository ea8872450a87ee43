// What to try once the sandbox runs: lines that work as they stand. Secrets are read from sandbox.json when a line
// runs, so that none is printed.
import { join } from 'node:path'
import { type EpochMs, isoInstant } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { SANDBOX_FILE } from './sandbox-file.ts'
import { writePrivateFile } from './sandbox-secrets.ts'

const EXAMPLE_MESSAGE_FILE = 'example-message.json'

export interface NextSteps {
  dataDir: string
  /** The data directory as the user gave it is the default one: no option is needed. */
  defaultDataDir: boolean
  apiUrl: string
  engineUrl: string
  /** An active card that asks its tenant. */
  card: { id: string; token: string; currency: string }
  /** A transaction of the burst, where there was one. */
  transactionId: string | null
}

/** Writes the message that the signed example sends. It holds a token, no PAN and no secret. */
export function writeExampleMessage(steps: NextSteps, now: EpochMs): void {
  const message = {
    id: newId('example', now),
    kind: 'authorization',
    transmitted_at: isoInstant(now),
    network_transaction_id: newId('ntx', now),
    card: { token: steps.card.token },
    amount_cents: 4200,
    currency: steps.card.currency,
    merchant: {
      id: 'merch_books',
      name: 'Corner Books',
      mcc: '5942',
      city: 'Berlin',
      country: 'DE',
    },
    entry_method: 'contactless',
    partial_approval_capable: false,
  }
  writePrivateFile(join(steps.dataDir, EXAMPLE_MESSAGE_FILE), JSON.stringify(message) + '\n')
}

/** The lines, ready to print. */
export function nextSteps(steps: NextSteps): string {
  const { apiUrl, engineUrl } = steps
  const message = join(steps.dataDir, EXAMPLE_MESSAGE_FILE)
  const environment = steps.defaultDataDir ? '' : 'SVC_DATA_DIR=' + quoted(steps.dataDir) + ' '
  const rows: [string, string][] = [
    [
      'The latest transactions:',
      'curl -sS ' + bearer(steps, 'read') + ' ' + quoted(apiUrl + '/v1/card_transactions?limit=3'),
    ],
    [
      'Be the card network: sign and send ' + message + ' (again: the same answer)',
      'curl -sS -H "Svc-Signature: $(' +
        signing(steps, message) +
        ')" --data-binary ' +
        quoted('@' + message) +
        ' ' +
        engineUrl +
        '/v1/network/messages',
    ],
    [
      'Suspend the card it used, and resume it:',
      'curl -sS -X POST ' +
        bearer(steps, 'write') +
        ' ' +
        apiUrl +
        '/v1/cards/' +
        steps.card.id +
        '/suspend',
    ],
    [
      '',
      'curl -sS -X POST ' +
        bearer(steps, 'write') +
        ' ' +
        apiUrl +
        '/v1/cards/' +
        steps.card.id +
        '/resume',
    ],
    [
      'One transaction as a timeline:',
      environment + 'npm run explain -- ' + (steps.transactionId ?? 'TRANSACTION_ID'),
    ],
    ['Receive webhooks: makes an endpoint, and shows what arrives', receiving(steps)],
    ['The card network simulator: stories, and load', environment + 'npm run simulate -- --list'],
    ['', environment + 'npm run simulate -- --rate 200 --seconds 10'],
  ]
  return rows
    .map(([title, line]) => (title === '' ? '' : '\n  ' + title + '\n') + '    ' + line + '\n')
    .join('')
}

/** Its secret is told once, to the receiver. */
function receiving(steps: NextSteps): string {
  const port = 8090
  const body = JSON.stringify({ url: 'http://127.0.0.1:' + port + '/' })
  const making =
    'curl -sS ' +
    bearer(steps, 'write') +
    " -H 'Content-Type: application/json' -d " +
    quoted(body) +
    ' ' +
    steps.apiUrl +
    '/v1/webhook_endpoints'
  const secret = making + " | node -p 'JSON.parse(fs.readFileSync(0)).secret'"
  return 'npm run receive -- --port ' + port + ' --secret "$(' + secret + ')"'
}

function bearer(steps: NextSteps, scope: 'read' | 'write'): string {
  const path = JSON.stringify(join(steps.dataDir, SANDBOX_FILE))
  return (
    '-H "Authorization: Bearer $(node -p ' + quoted('require(' + path + ').keys.' + scope) + ')"'
  )
}

/** A Node one-liner that prints the header's value for a file: it runs on any Node. */
function signing(steps: NextSteps, message: string): string {
  const sandbox = JSON.stringify(join(steps.dataDir, SANDBOX_FILE))
  const script =
    't=Math.floor(new Date/1e3);' +
    '"t="+t+",v1="+crypto.createHmac("sha256",require(' +
    sandbox +
    ').network.secret)' +
    '.update(t+".").update(fs.readFileSync(' +
    JSON.stringify(message) +
    ')).digest("hex")'
  return 'node -p ' + quoted(script)
}

/** One word for a POSIX shell. */
function quoted(text: string): string {
  return "'" + text.replaceAll("'", "'\\''") + "'"
}
