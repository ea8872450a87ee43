// Chooses the system account of PostgreSQL: the server refuses root, so root lends it an
// unprivileged account.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { StartProblem } from '../start/start-problem.ts'

/**
 * Passed to every spawn of a PostgreSQL program; empty for an ordinary user, who needs no other
 * account.
 */
export type Account = { uid: number; gid: number } | Record<string, never>

const ACCOUNT_NAME = 'postgres'
/** shadow-utils, Debian's adduser, busybox; whichever the machine has. */
const CREATE_COMMANDS: readonly (readonly [string, ...string[]])[] = [
  [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/bin/false',
    ACCOUNT_NAME,
  ],
  ['adduser', '--system', '--group', '--no-create-home', '--quiet', ACCOUNT_NAME],
  ['adduser', '-S', '-D', '-H', ACCOUNT_NAME],
]

/**
 * `dataPath` that exists already keeps its owner, so a directory made by an ordinary user also
 * works for root.
 */
export function chooseAccount(dataPath: string): Account {
  if (process.getuid?.() !== 0) return {}
  const owner = ownerOf(dataPath)
  if (owner !== null && owner.uid !== 0) return owner
  const found = lookUp(ACCOUNT_NAME) ?? createAccount() ?? lookUp('nobody')
  if (found === null) {
    throw new StartProblem(
      'PostgreSQL cannot run as root, and no user "' +
        ACCOUNT_NAME +
        '" could be created: create one, start as an ordinary user, or set DATABASE_URL.',
    )
  }
  return found
}

function createAccount(): Account | null {
  for (const [program, ...details] of CREATE_COMMANDS) {
    spawnSync(program, details, { stdio: 'ignore' })
    const found = lookUp(ACCOUNT_NAME)
    if (found !== null) return found
  }
  return null
}

function lookUp(name: string): Account | null {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const answer = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return answer.status === 0 ? Number(answer.stdout) : Number.NaN
  })
  if (!Number.isSafeInteger(uid) || !Number.isSafeInteger(gid) || uid === 0) return null
  return { uid: Number(uid), gid: Number(gid) }
}

function ownerOf(path: string): { uid: number; gid: number } | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid }
}
