// Puts a backup back: verifies first, then fills the database in one transaction, then moves the
// journal into place. Nothing that lives is touched.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readMigrations } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { syncDirectory } from '../../engine/journal/segment-files.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { type MasterKeys, parseMasterKeys } from '../../shared/keyring.ts'
import { MASTER_KEY_FILE } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { FIRST_SHARD, SHARDS_FOLDER, shardDirectory } from '../../shared/shards.ts'
import { copyIfThere } from '../backup/copy-journal.ts'
import { problemOf } from '../backup/main.ts'
import {
  type BackupShard,
  fileProblems,
  type Manifest,
  readManifest,
  shardsIn,
} from '../backup/manifest.ts'
import { readScriptSettings } from '../config.ts'
import { readJournal } from '../journal/read-journal.ts'
import { loadDatabase, migrationProblem, occupiedBy } from './load-database.ts'

const CLOCK_FILE = 'clock.json'
const DRAFT = 'journal.restoring'
const PROBLEMS_SHOWN_MAX = 20

interface Target {
  url: string
  dataDir: string
  keys: MasterKeys
  /** Text of `master.key` for the data directory; null: the keys come from SVC_MASTER_KEY. */
  keyFile: string | null
}

/** Returns the exit code. */
export async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      'keys-from': { type: 'string' },
      check: { type: 'boolean', default: false },
    },
  })
  if (values.from === undefined) return refuse('Give --from, the copy; --help explains it.')
  const from = resolve(values.from)
  if (values.check) return check(from)
  const target = findTarget(values['keys-from'])
  if (!target.ok) return refuse(target.error)
  const manifest = readManifest(from, target.value.keys)
  if (!manifest.ok) return refuse(manifest.error)
  const problems = await fileProblems(from, manifest.value)
  if (problems.length > 0) return refuse(listed(problems))
  try {
    return await restore(from, manifest.value, target.value)
  } catch (error) {
    return refuse(problemOf(error, target.value.url))
  }
}

async function check(from: string): Promise<number> {
  const manifest = readManifest(from, null)
  if (!manifest.ok) return refuse(manifest.error)
  const problems = await fileProblems(from, manifest.value)
  if (problems.length > 0) return refuse(listed(problems))
  const { created_at: made, files, version } = manifest.value
  const journals = await journalProblems(from, manifest.value)
  if (journals.length > 0) return refuse(listed(journals))
  process.stdout.write(
    files.length +
      ' files hold, made ' +
      made +
      ' by version ' +
      version +
      ', ' +
      shardsIn(manifest.value).map(ends).join(', ') +
      '. The signature is checked by a restore, which has the keys.\n',
  )
  return 0
}

function ends({ shard, last_seq: last }: BackupShard, _at: number, all: readonly BackupShard[]) {
  return 'journal ' + (all.length > 1 ? 'of ' + shard + ' ' : '') + 'up to entry ' + last
}

/** A sentence for each journal that cannot be read as the list says. */
async function journalProblems(from: string, manifest: Manifest): Promise<string[]> {
  const problems: string[] = []
  for (const shard of shardsIn(manifest)) {
    const why = await journalProblem(join(shardDirectory(from, shard.shard), 'journal'), shard)
    if (why !== null) problems.push(why)
  }
  return problems
}

async function journalProblem(
  directory: string,
  { id, last_seq: wanted }: BackupShard,
): Promise<string | null> {
  const view = await readJournal(directory)
  if (!view.ok) return view.error
  const { lastSeq } = view.value.recovery
  return view.value.journalId === id && lastSeq === wanted
    ? null
    : `The journal of the backup ends at entry ${lastSeq}, its list says ${wanted}.`
}

function listed(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_SHOWN_MAX
  return [
    'The backup is damaged; nothing was restored:',
    ...problems.slice(0, PROBLEMS_SHOWN_MAX).map((problem) => '  ' + problem),
    ...(more > 0 ? ['  and ' + more + ' more'] : []),
  ].join('\n')
}

function findTarget(keysFrom: string | undefined): Result<Target, string> {
  const settings = readScriptSettings(['DATABASE_URL', 'SVC_DATA_DIR', 'SVC_MASTER_KEY'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { DATABASE_URL: url, SVC_DATA_DIR: dataDir, SVC_MASTER_KEY: configured } = settings.value
  if (url === null)
    return { ok: false, error: 'DATABASE_URL must be set: the empty database to fill.' }
  if (keysFrom === undefined)
    return configured === null
      ? {
          ok: false,
          error:
            'Give the master keys: SVC_MASTER_KEY, or --keys-from with the directory of master.key.',
        }
      : { ok: true, value: { url, dataDir, keys: configured, keyFile: null } }
  const path = join(resolve(keysFrom), MASTER_KEY_FILE)
  if (!existsSync(path)) return { ok: false, error: path + ' is missing.' }
  const text = readFileSync(path, 'utf8')
  const keys = parseMasterKeys(text, true)
  if (!keys.ok) return { ok: false, error: path + ': ' + keys.error + '.' }
  return {
    ok: true,
    value: { url, dataDir, keys: keys.value, keyFile: configured === null ? text : null },
  }
}

async function restore(from: string, manifest: Manifest, target: Target): Promise<number> {
  const { dataDir } = target
  const migrations = readMigrations()
  const problem =
    migrationProblem(manifest.database.migrations, migrations) ?? livingProblem(target)
  if (problem !== null) return refuse(problem)
  const sql = openPool(target.url, {
    max: 2,
    applicationName: 'svc-restore',
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
  })
  try {
    const occupied = await occupiedBy(sql)
    if (occupied !== null) return refuse(occupied)
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    for (const shard of shardsIn(manifest)) await copyJournal(from, dataDir, { manifest, shard })
    await loadDatabase({
      sql,
      directory: from,
      database: manifest.database,
      migrations,
      nowMs: systemClock.nowMs(),
    })
    if (target.keyFile !== null)
      writeFileSync(join(dataDir, MASTER_KEY_FILE), target.keyFile, {
        mode: 0o600,
        flag: 'wx',
        flush: true,
      })
    for (const { shard } of shardsIn(manifest)) {
      const directory = shardDirectory(dataDir, shard)
      copyIfThere(join(shardDirectory(from, shard), CLOCK_FILE), join(directory, CLOCK_FILE))
      renameSync(join(directory, DRAFT), join(directory, 'journal'))
      await syncDirectory(directory)
    }
    const beside = join(dataDir, SHARDS_FOLDER)
    if (existsSync(beside)) await syncDirectory(beside)
    await syncDirectory(dataDir)
  } finally {
    await sql.end({ timeout: 5 })
  }
  say(manifest, dataDir, migrations.length)
  return 0
}

/** Names what a restore would overwrite; null when nothing lives there. */
function livingProblem({ dataDir, keyFile }: Target): string | null {
  const beside = join(dataDir, SHARDS_FOLDER)
  // A shard that the backup lacks would go on beside the restored ones.
  const others = existsSync(beside) ? readdirSync(beside).filter((name) => /^s\d+$/.test(name)) : []
  for (const shard of [FIRST_SHARD, ...others]) {
    const directory = shardDirectory(dataDir, shard)
    const journal = join(directory, 'journal')
    if (existsSync(journal) && readdirSync(journal).length > 0)
      return (
        journal +
        ' holds a journal: a restore never writes over one. Move the directory away first.'
      )
    const facts = join(directory, 'facts')
    if (existsSync(facts))
      return facts + ' holds configuration of another database: move the directory away first.'
  }
  const file = join(dataDir, MASTER_KEY_FILE)
  return keyFile !== null && existsSync(file) && readFileSync(file, 'utf8') !== keyFile
    ? file + ' holds other master keys: move it away first.'
    : null
}

/** Copies a journal aside and reads it; the draft takes its place when the database is filled. */
async function copyJournal(
  from: string,
  dataDir: string,
  { manifest, shard }: { manifest: Manifest; shard: BackupShard },
): Promise<void> {
  const draft = join(shardDirectory(dataDir, shard.shard), DRAFT)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  const folder = relative(from, join(shardDirectory(from, shard.shard), 'journal'))
  for (const { path } of manifest.files) {
    if (dirname(path) !== folder) continue
    if (!copyIfThere(join(from, path), join(draft, basename(path))))
      throw new Error(path + ' cannot be copied to ' + draft + '.')
  }
  await syncDirectory(draft)
  const problem = await journalProblem(draft, shard)
  if (problem !== null) throw new Error(problem)
}

function say(manifest: Manifest, dataDir: string, known: number): void {
  const { database, created_at: made } = manifest
  const shards = shardsIn(manifest)
  const lines = [
    'Restored the state of ' + made + ' to ' + dataDir + ' and the database.',
    ...shards.map(
      ({ shard, last_seq: last, drained_seq: drained }) =>
        'The journal ' +
        (shards.length > 1 ? 'of ' + shard + ' ' : '') +
        `ends at entry ${last}; the engine drains the last ${last - drained} again.`,
    ),
    'Everything after that moment is lost unless a newer journal exists: see deploy/runbooks/restore.md.',
  ]
  if (database.migrations.length < known)
    lines.push('Run npm run migrate before the service starts.')
  process.stdout.write(lines.join('\n') + '\n')
}
