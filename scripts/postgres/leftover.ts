// Ends processes that an earlier start of the same cluster left, and only those. PostgreSQL's
// processes have the data directory as their working directory, which identifies them better than a
// pid in a file.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../shared/clock.ts'
import { StartProblem } from '../start/start-problem.ts'

const POLL_MS = 20
const FAST_MS_MAX = 10_000
const IMMEDIATE_MS_MAX = 5_000

/** Returns when no process uses the cluster any more. */
export async function endLeftover(dataPath: string): Promise<void> {
  const postmaster = postmasterOf(dataPath)
  const residents = residentsOf(dataPath)
  if (postmaster !== null && residents.includes(postmaster)) signal(postmaster, 'SIGINT')
  // Without a postmaster its children end by themselves.
  if (!(await emptied(dataPath, FAST_MS_MAX))) {
    for (const pid of residentsOf(dataPath)) signal(pid, 'SIGQUIT')
    if (!(await emptied(dataPath, IMMEDIATE_MS_MAX))) {
      for (const pid of residentsOf(dataPath)) signal(pid, 'SIGKILL')
      if (!(await emptied(dataPath, IMMEDIATE_MS_MAX))) {
        const [pid] = residentsOf(dataPath)
        throw new StartProblem(
          'Process ' + pid + ' of an earlier start still uses ' + dataPath + ': end it first.',
        )
      }
    }
  }
  // PostgreSQL trusts a pid that answers, even of a process that was not reaped yet or of another
  // program.
  if (postmaster !== null && answers(postmaster) && process.platform === 'linux') {
    rmSync(join(dataPath, 'postmaster.pid'), { force: true })
  }
}

async function emptied(dataPath: string, waitMsMax: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += POLL_MS) {
    if (residentsOf(dataPath).length === 0) return true
    await sleep(POLL_MS)
  }
  return false
}

/** PostgreSQL processes whose working directory is the cluster. */
function residentsOf(dataPath: string): number[] {
  const home = statSync(dataPath, { throwIfNoEntry: false })
  if (home === undefined || process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        if (readFileSync('/proc/' + pid + '/comm', 'utf8') !== 'postgres\n') return false
        const place = statSync('/proc/' + pid + '/cwd')
        return place.dev === home.dev && place.ino === home.ino
      } catch {
        // It ended meanwhile, or belongs to another user.
        return false
      }
    })
    .map(Number)
}

/** The pid in postmaster.pid, or null. */
function postmasterOf(dataPath: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataPath, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null
  } catch {
    return null
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended meanwhile.
  }
}
