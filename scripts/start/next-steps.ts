// The lines to try once the sandbox runs. They work as they stand, in the order in which they are
// printed. A line reads its secrets from sandbox.json when it runs, so none is printed.
import { join } from 'node:path'
import { type EpochMs, isoInstant } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { oauthSteps } from './oauth-steps.ts'
import { SANDBOX_FILE } from './sandbox-file.ts'
import { writePrivateFile } from './sandbox-secrets.ts'

/** The first is approved; the second is fresh, for the moment at which the card is suspended. */
const MESSAGE_FILES = ['example-message.json', 'fresh-message.json'] as const

export interface NextSteps {
  dataDir: string
  /** The data directory as the user gave it is the default one: no option is needed. */
  defaultDataDir: boolean
  apiUrl: string
  /** Base URL of the pages of people. */
  pagesUrl: string
  engineUrl: string
  /** An active card that asks its tenant. */
  card: { id: string; token: string; currency: string }
  /** The page that shows the sandbox's mails; null where another server gets them. */
  inboxUrl: string | null
  /** The address with which the sandbox tenant's owner signs in. */
  ownerEmail: string
  /** Where the receiver of webhooks listens. */
  receiverPort: number
}

/** Writes the messages that the signed examples send. They hold a token, no PAN and no secret. */
export function writeExampleMessages(steps: NextSteps, now: EpochMs): void {
  for (const file of MESSAGE_FILES) {
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
    writePrivateFile(join(steps.dataDir, file), JSON.stringify(message) + '\n')
  }
}

/** The lines, ready to print, below the addresses and a note about the terminal. */
export function nextSteps(steps: NextSteps, note: string | null): string {
  const { ownerEmail } = steps
  const npm =
    (steps.defaultDataDir ? '' : 'SVC_DATA_DIR=' + quoted(steps.dataDir) + ' ') + 'npm run -s '
  const [first, fresh] = MESSAGE_FILES
  const parts: [string, [string, string][]][] = [
    [
      'In a second terminal, in this directory:',
      [
        [
          'Receive webhooks. The line makes an endpoint and shows what arrives; leave it running:',
          receiving(steps),
        ],
      ],
    ],
    [
      'In a third terminal, in this directory, one after the other:',
      [
        [
          'Be the card network: sign and send a message. The webhook arrives in the second terminal:',
          sending(steps, first),
        ],
        ['Suspend the card:', moving(steps, 'suspend')],
        ['Send a fresh message, which is declined:', sending(steps, fresh)],
        ['Explain the decline, step by step:', npm + 'explain -- latest'],
        ['Resume the card:', moving(steps, 'resume')],
        ['List the latest transactions:', listing(steps)],
        ['Play the card network: stories, and load:', npm + 'simulate -- --list'],
        ['', npm + 'simulate -- --rate 200 --seconds 10'],
      ],
    ],
    [
      'The owner signs in at the address above, and at the challenge_url of a call that needs a person, as ' +
        ownerEmail +
        ':',
      [
        [
          'The password:',
          'node -p ' + quoted('require(' + sandboxPath(steps) + ').owner.password'),
        ],
        ['A code of the second factor:', npm + 'code'],
      ],
    ],
    [
      'Be a platform that acts for the tenant by OAuth 2.1, in one shell:',
      oauthSteps({
        apiUrl: steps.apiUrl,
        pagesUrl: steps.pagesUrl,
        operatorKey:
          '$(node -p ' + quoted('require(' + sandboxPath(steps) + ').operator_key') + ')',
      }),
    ],
  ]
  return (
    addresses(steps, note) +
    parts.map(([title, lines]) => '\n  ' + title + '\n' + lines.map(lineText).join('')).join('')
  )
}

function addresses(
  { apiUrl, engineUrl, pagesUrl, inboxUrl }: NextSteps,
  note: string | null,
): string {
  return [
    '\n  Ready.',
    '    API            ' + apiUrl,
    '    reference      ' + apiUrl + '/docs',
    '    sign in        ' + pagesUrl + '/sign-in',
    '    dashboard      ' + pagesUrl + '/d',
    '    network port   ' + engineUrl,
    ...(inboxUrl === null ? [] : ['    mails          ' + inboxUrl]),
    ...(note === null ? [] : ['    ' + note]),
    '',
  ].join('\n')
}

function lineText([title, line]: [string, string]): string {
  return (title === '' ? '' : '\n    ' + title + '\n') + '      ' + line + '\n'
}

/** Signs and sends a message; the answer is one row. */
function sending(steps: NextSteps, file: string): string {
  const message = join(steps.dataDir, file)
  const answer =
    'a.message_id===undefined?a.error.message:' +
    '[a.approved?"approved":"declined",a.decline_reason??"","code "+a.response_code,a.decided_by,a.transaction_id].join("  ")'
  return (
    'curl -sS -H "Svc-Signature: $(' +
    signing(steps, message) +
    ')" --data-binary ' +
    quoted('@' + message) +
    ' ' +
    steps.engineUrl +
    '/v1/network/messages' +
    rowOf('a', answer)
  )
}

function moving(steps: NextSteps, move: 'suspend' | 'resume'): string {
  return (
    'curl -sS -X POST ' +
    bearer(steps, 'write') +
    ' ' +
    steps.apiUrl +
    '/v1/cards/' +
    steps.card.id +
    '/' +
    move +
    rowOf('c', 'c.error?.message??c.id+"  "+c.status')
  )
}

function listing(steps: NextSteps): string {
  const row =
    '[t.id,t.status,t.decline_reason??"",t.amounts.merchant.amount+" "+t.currency,t.merchant.name].join("  ")'
  return (
    'curl -sS ' +
    bearer(steps, 'read') +
    ' ' +
    quoted(steps.apiUrl + '/v1/card_transactions?limit=5') +
    rowOf('l', 'l.error?.message??l.data.map(t=>' + row + ').join("\\n")')
  )
}

/** Pipes a JSON answer through a Node one-liner that makes a row of it: it runs on any Node. */
function rowOf(name: string, expression: string): string {
  return (
    ' | node -p ' + quoted('(' + name + '=>' + expression + ')(JSON.parse(fs.readFileSync(0)))')
  )
}

/** The API shows the endpoint's secret once, and the line hands it to the receiver. */
function receiving(steps: NextSteps): string {
  const body = JSON.stringify({ url: 'http://127.0.0.1:' + steps.receiverPort + '/' })
  const making =
    'curl -sS ' +
    bearer(steps, 'write') +
    " -H 'Content-Type: application/json' -d " +
    quoted(body) +
    ' ' +
    steps.apiUrl +
    '/v1/webhook_endpoints'
  const secret = making + " | node -p 'JSON.parse(fs.readFileSync(0)).secret'"
  return 'npm run -s receive -- --port ' + steps.receiverPort + ' --secret "$(' + secret + ')"'
}

function sandboxPath(steps: NextSteps): string {
  return JSON.stringify(join(steps.dataDir, SANDBOX_FILE))
}

function bearer(steps: NextSteps, scope: 'read' | 'write'): string {
  const path = sandboxPath(steps)
  return (
    '-H "Authorization: Bearer $(node -p ' + quoted('require(' + path + ').keys.' + scope) + ')"'
  )
}

/** A Node one-liner that prints the header's value for a file: it runs on any Node. */
function signing(steps: NextSteps, message: string): string {
  const sandbox = sandboxPath(steps)
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
