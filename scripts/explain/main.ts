// `npm run explain -- ID`: one card transaction, payment, mandate, withdrawal, settlement batch or
// invoice as a timeline, read through the API of a running sandbox.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { refuse } from '../../shared/command-line.ts'
import type { Result } from '../../shared/result.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { locateReader, READ_OPTIONS } from '../simulate/locate.ts'
import {
  mandateTimeline,
  readMandateStory,
  readWithdrawalStory,
  withdrawalTimeline,
} from './holder-story.ts'
import { invoiceTimeline, readInvoiceStory } from './invoice-story.ts'
import { readBatchStory, readPaymentStory, storyKind } from './payment-story.ts'
import { batchTimeline, paymentTimeline } from './payment-timeline.ts'
import { readTransactionStory, type StorySources } from './story.ts'
import { colours, plainText, type Style } from './style.ts'
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
    return refuse('Give exactly one id: npm run explain -- TRANSACTION_ID')
  }
  const access = locateReader(values)
  if (!access.ok) return refuse(access.error)

  const settings = readScriptSettings(['DATABASE_URL'])
  if (!settings.ok) return refuse(settings.error.join('\n'))

  const { dataDir } = access.value
  const databaseUrl = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  const told = await explained({ ...access.value, databaseUrl }, id)
  if (!told.ok) return refuse(told.error)
  const { story, text } = told.value
  const style = process.stdout.isTTY ? colours : plainText
  process.stdout.write(values.json ? JSON.stringify(story, null, 2) + '\n' : text(style))
  return 0
}

interface Explained {
  story: object
  text(style: Style): string
}

/** The story of what the form of the id names. */
async function explained(sources: StorySources, id: string): Promise<Result<Explained, string>> {
  const as = <Story extends object>(
    read: Result<Story, string>,
    write: (story: Story, style: Style) => string,
  ): Result<Explained, string> => {
    if (!read.ok) return read
    const story = read.value
    return { ok: true, value: { story, text: (style) => write(story, style) } }
  }
  if (id.startsWith('inv_')) return as(await readInvoiceStory(sources, id), invoiceTimeline)
  const kind = storyKind(id)
  if (kind === 'mandate') return as(await readMandateStory(sources, id), mandateTimeline)
  if (kind === 'withdrawal') return as(await readWithdrawalStory(sources, id), withdrawalTimeline)
  if (kind === 'payment') return as(await readPaymentStory(sources, id), paymentTimeline)
  if (kind === 'batch') return as(await readBatchStory(sources, id), batchTimeline)
  return as(await readTransactionStory(sources, id), timeline)
}
