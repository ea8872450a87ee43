// Makes a backup: the database first, the journal until after it, so that the journal is never the
// older of the two.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { syncDirectory } from '../../engine/journal/segment-files.ts'
import { isoInstant, sleep, systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import { MASTER_KEY_FILE, rereadMasterKeys } from '../../shared/master-key-file.ts'
import { shardDirectory } from '../../shared/shards.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { ShardCopies } from './copy-shards.ts'
import { type DatabaseCopy, dumpDatabase } from './dump-database.ts'
import { describeFile, formatOf, type Manifest, shardsIn, writeManifest } from './manifest.ts'

/** Milliseconds between two looks at the journal while the database is copied. */
const ROUND_MS = 2000
/** Failures of files, not of the database. */
const OF_FILES = new Set(['EACCES', 'EDQUOT', 'EIO', 'ENOENT', 'ENOSPC', 'EROFS'])

interface Installation {
  url: string
  dataDir: string
  keys: MasterKeys
}

/** Returns the exit code. */
export async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { to: { type: 'string' }, 'keys-to': { type: 'string' } },
  })
  if (values.to === undefined) return refuse('Give --to, a new directory; --help explains it.')
  const to = resolve(values.to)
  const keysTo = values['keys-to'] === undefined ? null : resolve(values['keys-to'])
  const misplaced = placeProblem(to, keysTo)
  if (misplaced !== null) return refuse(misplaced)
  const found = findInstallation()
  if (typeof found === 'string') return refuse(found)
  // Answers come before the copy. A caller may have put the command further back.
  const behind = constants.priority.PRIORITY_BELOW_NORMAL
  if (getPriority() < behind) setPriority(behind)
  const draft = to + '.partial'
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  try {
    const manifest = await makeBackup(found, draft)
    renameSync(draft, to)
    await syncDirectory(dirname(to))
    if (keysTo !== null) await writeKeys(found.keys, keysTo)
    say(to, manifest)
    return 0
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    return refuse(problemOf(error, found.url))
  }
}

/** The sentence for an operator; an error of the database names its place. */
export function problemOf(error: unknown, url: string): string {
  if (error instanceof Error && (!('code' in error) || OF_FILES.has(String(error.code))))
    return error.message
  return connectProblem(error, url)
}

function placeProblem(to: string, keysTo: string | null): string | null {
  if (existsSync(to)) return to + ' exists already: name a new directory.'
  if (keysTo === null) return null
  if (!relative(to, keysTo).startsWith('..'))
    return 'The master keys would lie inside the copy that they protect: name another directory.'
  const file = join(keysTo, MASTER_KEY_FILE)
  return existsSync(file) ? file + ' exists already: name another directory.' : null
}

/** Where everything is, or the sentence that says what is missing. */
function findInstallation(): Installation | string {
  const settings = readScriptSettings([
    'DATABASE_URL',
    'SVC_DATA_DIR',
    'SVC_MASTER_KEY',
    'SVC_ENVIRONMENT',
  ])
  if (!settings.ok) return settings.error.join('\n')
  const { SVC_DATA_DIR: dataDir, SVC_ENVIRONMENT: environment } = settings.value
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null) return 'DATABASE_URL is not set and no npm start is running on ' + dataDir + '.'
  const keys = rereadMasterKeys({ dataDir, configured: settings.value.SVC_MASTER_KEY, environment })
  return keys.ok ? { url, dataDir, keys: keys.value } : keys.error
}

async function makeBackup(from: Installation, draft: string): Promise<Manifest> {
  const journals = new ShardCopies(from.dataDir, draft)
  await journals.round()
  const { database, cursors } = await copyDatabase(from, draft, journals)
  const [first, ...others] = await journals.finish(cursors)
  if (first === undefined) throw new Error('A backup has a first shard.')
  const { shard: _first, drained_seq: _drained, ...journal } = first
  const manifest: Manifest = {
    format: formatOf(1 + others.length),
    created_at: isoInstant(systemClock.nowMs()),
    version: versionOfSource(),
    keys: from.keys.map(({ id }) => id),
    journal,
    ...(others.length > 0 && { shards: others }),
    database,
    files: [],
  }
  for (const path of filesBelow(draft)) manifest.files.push(await describeFile(draft, path))
  writeManifest(draft, manifest, from.keys)
  for (const folder of ['', 'database']) await syncDirectory(join(draft, folder))
  if (others.length > 0) await syncDirectory(dirname(shardDirectory(draft, 's2')))
  return manifest
}

/** Looks at the journals meanwhile, so that no entry is dropped before it was copied. */
async function copyDatabase(
  from: Installation,
  draft: string,
  journals: ShardCopies,
): Promise<DatabaseCopy> {
  const sql = openPool(from.url, {
    max: 1,
    applicationName: 'svc-backup',
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
  })
  const end = new AbortController()
  const rounds = followJournals(journals, end.signal)
  // A failure counts when the rounds are awaited.
  rounds.catch(() => undefined)
  try {
    return await dumpDatabase(sql, draft, from.keys)
  } finally {
    end.abort()
    try {
      await rounds
    } finally {
      // An open connection would keep the process alive.
      await sql.end({ timeout: 5 })
    }
  }
}

async function followJournals(journals: ShardCopies, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(ROUND_MS, signal)
    if (signal.aborted) return
    await journals.round()
  }
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort()
}

async function writeKeys(keys: MasterKeys, directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const text = keys.map(({ id, bytes }) => id + ':' + bytes.toString('base64') + '\n').join('')
  writeFileSync(join(directory, MASTER_KEY_FILE), text, { mode: 0o600, flag: 'wx', flush: true })
  await syncDirectory(directory)
}

function versionOfSource(): string {
  const path = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  return version
}

function say(to: string, manifest: Manifest): void {
  const { database, files } = manifest
  const rows = database.tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const shards = shardsIn(manifest)
  const lines = [
    'database   ' + database.tables.length + ' tables, ' + rows + ' rows',
    ...shards.map(
      ({ shard, id, first_seq: first, last_seq: last, drained_seq: drained }) =>
        'journal    ' +
        (shards.length > 1 ? shard + ', ' : '') +
        `${id}, entries ${first} to ${last}, drained to entry ${drained}`,
    ),
    'files      ' + files.length + ', ' + bytes + ' bytes',
    to + ' is whole and on disk.',
  ]
  process.stdout.write(lines.join('\n') + '\n')
}
