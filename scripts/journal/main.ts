// `npm run journal`: looks into the decision log on disk, without the lock, also beside a running
// engine. Only an operator's words write: accept-loss into the database, accept-clock into the data
// directory by way of the engine, accept-timeline into it.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { replayEntries } from '../../engine/journal/replay.ts'
import type { Segment } from '../../engine/journal/segment.ts'
import { listSnapshots, snapshotIntact } from '../../engine/journal/snapshot-file.ts'
import { refuse } from '../../shared/command-line.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { readScriptSettings } from '../config.ts'
import { acceptClockByName } from './accept-clock.ts'
import { acceptLossByName } from './accept-loss.ts'
import { acceptTimelineByName } from './accept-timeline.ts'
import { entryJson, entryLine } from './entry-line.ts'
import { type JournalView, readJournal } from './read-journal.ts'

const COUNT_MAX = 1_000_000
/** Problems that verify prints before it only counts them. */
const PROBLEMS_SHOWN_MAX = 20

interface Invocation {
  count: number
  json: boolean
}

const COMMANDS: { readonly [name: string]: (view: JournalView, invocation: Invocation) => number } =
  {
    stat: showStat,
    tail: showTail,
    verify,
  }

/** The exit code. */
export async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string' },
      count: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
    },
  })
  const [name = '', ...others] = positionals
  if (name === 'accept-loss') return acceptLoss(others, values['data-dir'])
  if (name === 'accept-clock') return acceptClock(others, values['data-dir'])
  if (name === 'accept-timeline') return acceptTimeline(others, values['data-dir'])
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined || others.length > 0)
    return refuse(
      'Give one of stat, tail, verify, accept-loss, accept-clock, accept-timeline; --help explains them.',
    )
  const count = /^\d{1,7}$/.test(values.count) ? Number(values.count) : 0
  if (count < 1 || count > COUNT_MAX)
    return refuse('--count must be a whole number from 1 to ' + COUNT_MAX + '.')
  const settings = readScriptSettings(['SVC_DATA_DIR'])
  if (!settings.ok) return refuse(settings.error.join('\n'))
  const dataDir = values['data-dir'] ?? settings.value.SVC_DATA_DIR
  const view = await readJournal(join(dataDir, 'journal'))
  if (!view.ok) return refuse(view.error)
  return command(view.value, { count, json: values.json })
}

async function acceptLoss(names: readonly string[], dataDir: string | undefined): Promise<number> {
  const [journalId, ...others] = names
  if (journalId === undefined || others.length > 0)
    return refuse('Name the journal whose loss you accept; the refusal of the engine tells it.')
  const accepted = await acceptLossByName(journalId, dataDir)
  if (!accepted.ok) return refuse(accepted.error)
  const { journalId: followed, seq } = accepted.value
  print('The database now follows journal ' + followed + ' after entry ' + seq + '.')
  return 0
}

async function acceptClock(names: readonly string[], dataDir: string | undefined): Promise<number> {
  const [disagreement, ...others] = names
  if (disagreement === undefined || others.length > 0)
    return refuse('Name the disagreement that you accept; the refusal of the engine tells it.')
  const accepted = await acceptClockByName(disagreement, dataDir)
  if (!accepted.ok) return refuse(accepted.error)
  print('The engine now decides by its system clock.')
  return 0
}

async function acceptTimeline(
  names: readonly string[],
  dataDir: string | undefined,
): Promise<number> {
  const [timeline, ...others] = names
  if (timeline === undefined || others.length > 0)
    return refuse('Name the timeline that you accept; the refusal of the engine tells it.')
  const accepted = await acceptTimelineByName(timeline, dataDir)
  if (!accepted.ok) return refuse(accepted.error)
  print('A database of this timeline may attach to ' + accepted.value.join(', ') + '.')
  return 0
}

function showStat(view: JournalView): number {
  const { recovery } = view
  const oldestSeq = recovery.segments[0].firstSeq
  print('journal    ' + view.journalId + (view.attached ? '' : ' (no database confirmed it yet)'))
  print('opened     ' + view.epoch + ' times')
  print('entries    ' + (recovery.lastSeq === 0 ? 'none' : oldestSeq + ' to ' + recovery.lastSeq))
  for (const segment of recovery.segments) print('segment    ' + segmentWords(segment))
  print('spares     ' + recovery.spares.length)
  for (const { seq, path } of listSnapshots(view.directory)) {
    const intact = snapshotIntact(path, view.journalId, seq)
    print('snapshot   after entry ' + seq + (intact ? '' : ', damaged or of another journal'))
  }
  return 0
}

function segmentWords(segment: Segment): string {
  const used = Math.round((segment.endBytes / segment.bytesMax) * 100)
  const entries =
    segment.lastSeq === 0 ? 'empty' : 'entries ' + segment.firstSeq + ' to ' + segment.lastSeq
  return segment.path + '  ' + entries + ', ' + used + ' % of ' + segment.bytesMax + ' bytes'
}

function showTail(view: JournalView, invocation: Invocation): number {
  const { segments, lastSeq } = view.recovery
  const fromSeq = Math.max(segments[0].firstSeq, lastSeq - invocation.count + 1)
  const line = invocation.json ? entryJson : entryLine
  const replay = replayEntries(segments, view.journal, {
    fromSeq,
    visit: (seq, bytes) => print(line(seq, bytes)),
  })
  return 'refused' in replay ? refuse(replay.refused) : 0
}

/**
 * Checksums and the order were checked when the journal was read; here every entry must also be
 * readable.
 */
function verify(view: JournalView): number {
  const problems: string[] = []
  const { segments, lastSeq, epoch } = view.recovery
  if (epoch > view.epoch) problems.push('journal.json is older than the segments beside it')
  const replay = replayEntries(segments, view.journal, {
    fromSeq: segments[0].firstSeq,
    visit(seq, bytes) {
      try {
        decodeEntry(bytes)
      } catch (error) {
        problems.push('entry ' + seq + ' cannot be read: ' + String(error))
      }
    },
  })
  if ('refused' in replay) problems.push(replay.refused)
  for (const { seq, path } of listSnapshots(view.directory)) {
    if (!snapshotIntact(path, view.journalId, seq))
      problems.push(path + ' is damaged or belongs to another journal')
    else if (seq > lastSeq) problems.push(path + ' is ahead of the journal')
  }
  for (const problem of problems.slice(0, PROBLEMS_SHOWN_MAX)) print(problem)
  if (problems.length > 0) return refuse(problems.length + ' problems found.')
  const entries = 'replayed' in replay ? replay.replayed : 0
  print(entries + ' entries, all readable, no gap; last is ' + lastSeq + '.')
  return 0
}

function print(text: string): void {
  process.stdout.write(text + '\n')
}
