// The files of one embedded PostgreSQL: `data` (the cluster), `password`, `postgres.log`. Made
// once, kept ever after.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomSecret } from '../../shared/id.ts'
import { StartProblem } from '../start/start-problem.ts'
import type { Account } from './account.ts'
import { PROGRAM_ENVIRONMENT } from './programs.ts'

export const SUPERUSER = 'svc'
export const DATABASE = 'svc'
const PASSWORD_BYTES = 24
/**
 * The least there is. A piece of the log that is made anew is written full of zeros and synced at
 * once, and every sync of the journal meanwhile waits for all of it: 10 to 36 ms each time with the
 * usual 16 MB.
 */
const LOG_PIECE_MB = 1

export interface Cluster {
  dataPath: string
  logPath: string
  password: string
}

/**
 * How the account names a directory it starts in. The directory is entered with our rights, before
 * they are dropped, and the kernel's link leads there without looking at the directories above:
 * they may be closed to the account.
 */
export function insidePath(path: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : path
}

/** Path of the cluster below `directory`, whether or not it exists. */
export function dataPathOf(directory: string): string {
  return join(directory, 'data')
}

/** Finds or makes the cluster. A half-made one of an earlier start is made again. */
export async function prepareCluster(
  directory: string,
  native: string,
  account: Account,
): Promise<Cluster> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const dataPath = dataPathOf(directory)
  const passwordPath = join(directory, 'password')
  if (!existsSync(dataPath)) {
    writeOwned(passwordPath, randomSecret(PASSWORD_BYTES) + '\n', account)
    await makeCluster(dataPath, { native, account, passwordPath })
  }
  return {
    dataPath,
    logPath: join(directory, 'postgres.log'),
    password: readFileSync(passwordPath, 'utf8').trim(),
  }
}

async function makeCluster(
  dataPath: string,
  from: { native: string; account: Account; passwordPath: string },
): Promise<void> {
  const draft = dataPath + '.new'
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  own(draft, from.account)
  const passwordFile = openSync(from.passwordPath, 'r')
  const initdb = spawn(
    join(from.native, 'bin', 'initdb'),
    [
      '--pgdata=' + insidePath(draft),
      '--username=' + SUPERUSER,
      '--auth=scram-sha-256',
      '--pwfile=/dev/fd/3',
      '--encoding=UTF8',
      '--locale=C',
      '--data-checksums',
      '--wal-segsize=' + LOG_PIECE_MB,
    ],
    {
      ...from.account,
      cwd: draft,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe', passwordFile],
      // Its own session: a Ctrl-C at the terminal would make it fail, and the start is to stop in
      // order instead.
      detached: true,
    },
  )
  closeSync(passwordFile)
  const failure = await failureOf(initdb)
  if (failure !== null) {
    rmSync(draft, { recursive: true, force: true })
    const why = failure.trim().split('\n').slice(-3).join(' ')
    throw new StartProblem('The PostgreSQL cluster in ' + dataPath + ' cannot be made: ' + why)
  }
  renameSync(draft, dataPath)
}

/** Returns the program's complaint if it failed, else null. */
function failureOf(program: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let complaint = ''
    program.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text
    })
    program.once('error', (error) => resolve(error.message))
    program.once('close', (code) => resolve(code === 0 ? null : complaint))
  })
}

function writeOwned(path: string, text: string, account: Account): void {
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  chmodSync(path, 0o600)
  own(path, account)
}

function own(path: string, account: Account): void {
  if ('uid' in account) chownSync(path, account.uid, account.gid)
}
