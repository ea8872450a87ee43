// `npm run explain -- TXN`: one card transaction as a timeline, read through the API of a running
// sandbox.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refuse } from '../../shared/command-line.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { locateReader, READ_OPTIONS } from '../simulate/locate.ts'
import { readTransactionStory } from './story.ts'
import { colours, plainText } from './style.ts'
import { timeline } from './timeline.ts'

/** Returns the exit code. */
export async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...READ_OPTIONS,
      json: { type: 'boolean' },
    },
  })
  const [id, ...others] = positionals
  if (id === undefined || others.length > 0) {
    return refuse('Give exactly one transaction id: npm run explain -- TRANSACTION_ID')
  }
  const access = locateReader(values)
  if (!access.ok) return refuse(access.error)

  const settings = readScriptSettings(['DATABASE_URL'])
  if (!settings.ok) return refuse(settings.error.join('\n'))

  const { dataDir } = access.value
  const databaseUrl = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  const story = await readTransactionStory({ ...access.value, databaseUrl }, id)
  if (!story.ok) return refuse(story.error)
  process.stdout.write(
    values.json
      ? JSON.stringify(story.value, null, 2) + '\n'
      : timeline(story.value, process.stdout.isTTY ? colours : plainText),
  )
  return 0
}
