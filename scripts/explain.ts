// `npm run explain -- TXN`: one card transaction as a timeline, read through the API of a running
// sandbox.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refuse, runCommand } from '../shared/command-line.ts'
import { readScriptSettings } from './config.ts'
import { readTransactionStory } from './explain/story.ts'
import { colours, plainText } from './explain/style.ts'
import { timeline } from './explain/timeline.ts'
import { runningPostgresUrl } from './postgres/running.ts'
import { dataDirectory } from './simulate/config.ts'
import { readSandbox } from './simulate/sandbox.ts'

const HELP = `Explains one card transaction, from its first message to its last: config records and their versions, rules, tenant
call, journal entry, the effect of each later message, every event and the deliveries of its webhooks.

  npm run explain -- TRANSACTION_ID [--data-dir DIR] [--json]
  npm run explain -- latest         the newest transaction

  --data-dir DIR   data directory of the running service (default: SVC_DATA_DIR, else .data)
  --json           the transaction, its messages, events and deliveries as JSON
  --help           this text

  DATABASE_URL     database of the deliveries (default: the database of a running npm start)
`

/** Returns the exit code. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [id, ...others] = positionals
  if (id === undefined || others.length > 0) {
    return refuse('Give exactly one transaction id: npm run explain -- TRANSACTION_ID')
  }
  const directory = values['data-dir'] ?? dataDirectory()
  if (typeof directory !== 'string' && !directory.ok) return refuse(directory.error)
  const dataDir = typeof directory === 'string' ? directory : directory.value
  const surroundings = readSandbox(dataDir)
  if (!surroundings.ok) return refuse(surroundings.error)

  const settings = readScriptSettings(['DATABASE_URL'])
  if (!settings.ok) return refuse(settings.error.join('\n'))

  const { api_url: apiUrl, keys } = surroundings.value.sandbox
  const databaseUrl = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  const story = await readTransactionStory({ apiUrl, key: keys.read, dataDir, databaseUrl }, id)
  if (!story.ok) return refuse(story.error)
  process.stdout.write(
    values.json
      ? JSON.stringify(story.value, null, 2) + '\n'
      : timeline(story.value, process.stdout.isTTY ? colours : plainText),
  )
  return 0
}

await runCommand(main)
