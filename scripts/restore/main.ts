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
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readMigrations } from '../../api/database/migrate.ts'
import { openPool } from '../../api/database/pool.ts'
import { syncDirectory } from '../../engine/journal/segment-files.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { type MasterKeys, parseMasterKeys } from '../../shared/keyring.ts'
import { MASTER_KEY_FILE } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { copyIfThere } from '../backup/copy-journal.ts'
import { problemOf } from '../backup/main.ts'
import { fileProblems, type Manifest, readManifest } from '../backup/manifest.ts'
import { readScriptSettings } from '../config.ts'
import { readJournal } from '../journal/read-journal.ts'
import { loadDatabase, migrationProblem, occupiedBy } from './load-database.ts'

const CLOCK_FILE = 'clock.json'
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
  const { created_at: made, files, journal, version } = manifest.value
  process.stdout.write(
    files.length +
      ' files hold, made ' +
      made +
      ' by version ' +
      version +
      ', journal up to entry ' +
      journal.last_seq +
      '. The signature is checked by a restore, which has the keys.\n',
  )
  return 0
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
    const draft = await copyJournal(from, dataDir, manifest)
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
    copyIfThere(join(from, CLOCK_FILE), join(dataDir, CLOCK_FILE))
    renameSync(draft, join(dataDir, 'journal'))
    await syncDirectory(dataDir)
  } finally {
    await sql.end({ timeout: 5 })
  }
  say(manifest, dataDir, migrations.length)
  return 0
}

/** Names what a restore would overwrite; null when nothing lives there. */
function livingProblem({ dataDir, keyFile }: Target): string | null {
  const journal = join(dataDir, 'journal')
  if (existsSync(journal) && readdirSync(journal).length > 0)
    return (
      journal + ' holds a journal: a restore never writes over one. Move the directory away first.'
    )
  const facts = join(dataDir, 'facts')
  if (existsSync(facts))
    return facts + ' holds configuration of another database: move the directory away first.'
  const file = join(dataDir, MASTER_KEY_FILE)
  return keyFile !== null && existsSync(file) && readFileSync(file, 'utf8') !== keyFile
    ? file + ' holds other master keys: move it away first.'
    : null
}

/** Copies the journal aside and reads it; the draft takes its place when the database is filled. */
async function copyJournal(from: string, dataDir: string, manifest: Manifest): Promise<string> {
  const { journal, files } = manifest
  const draft = join(dataDir, 'journal.restoring')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  for (const { path } of files) {
    if (!path.startsWith('journal/')) continue
    if (!copyIfThere(join(from, path), join(draft, basename(path))))
      throw new Error(path + ' cannot be copied to ' + draft + '.')
  }
  await syncDirectory(draft)
  const view = await readJournal(draft)
  if (!view.ok) throw new Error(view.error)
  const { lastSeq } = view.value.recovery
  if (view.value.journalId !== journal.id || lastSeq !== journal.last_seq)
    throw new Error(
      'The journal of the backup ends at entry ' +
        lastSeq +
        ', its list says ' +
        journal.last_seq +
        '.',
    )
  return draft
}

function say(
  { journal, database, created_at: made }: Manifest,
  dataDir: string,
  known: number,
): void {
  const undrained = journal.last_seq - database.drained_seq
  const lines = [
    'Restored the state of ' + made + ' to ' + dataDir + ' and the database.',
    'The journal ends at entry ' +
      journal.last_seq +
      '; the engine drains the last ' +
      undrained +
      ' again.',
    'Everything after that moment is lost unless a newer journal exists: see deploy/runbooks/restore.md.',
  ]
  if (database.migrations.length < known)
    lines.push('Run npm run migrate before the service starts.')
  process.stdout.write(lines.join('\n') + '\n')
}
