// One start per data directory. The claim is an abstract Unix socket named after the directory's
// device and inode: the kernel frees it with the process, so a killed start never blocks the next
// one.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { sleep } from '../../shared/clock.ts'
import { StartProblem } from './start-problem.ts'

const PROCESSES_FILE = 'processes.json'
/** Processes of a killed start end by themselves; after this long they are ended by force. */
const LEFTOVER_MS_MAX = 5000
const LEFTOVER_POLL_MS = 50

export interface Claim {
  /**
   * Remembers the pid that runs under a name, so the next start finds a process that this one may
   * leave.
   */
  remember(name: string, pid: number | null): void
  release(): Promise<void>
}

interface ProcessRow {
  pid: number
  /** Kernel start time: a pid alone may belong to another process by now. */
  started: string
}

/**
 * Makes the directory (0700), claims it, and waits for the leftovers of a start that was killed.
 */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  orRefuse(dataDir, () => makeDirectory(dataDir))
  const path = join(dataDir, PROCESSES_FILE)
  const socket = await listenAlone(dataDir, path)
  await endLeftovers(path)

  const rows: { [name: string]: ProcessRow } = {}
  const note = (name: string, pid: number | null): void => {
    const started = pid === null ? null : startTimeOf(pid)
    if (pid === null || started === null) delete rows[name]
    else rows[name] = { pid, started }
    writeFileSync(path + '.new', JSON.stringify(rows) + '\n', { mode: 0o600 })
    renameSync(path + '.new', path)
  }
  const remember = (name: string, pid: number | null): void => {
    try {
      note(name, pid)
    } catch {
      // A full disk must not end the supervision of running processes, which also end by themselves
      // without us.
    }
  }
  orRefuse(dataDir, () => note('start', process.pid))
  return {
    remember,
    release: () =>
      new Promise((resolve) => {
        remember('start', null)
        socket.close(() => resolve())
      }),
  }
}

/**
 * Makes the directory and its missing parents. An existing one keeps its mode, because it may be
 * shared, as /tmp is; everything below it is private by itself. Node's own `recursive` never
 * returns if a parent exists and nothing can be made in it, as in /proc.
 */
function makeDirectory(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return
  if (!existsSync(dirname(path))) makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

function orRefuse(dataDir: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new StartProblem('SVC_DATA_DIR ' + dataDir + ' cannot be used: ' + messageOf(error))
  }
}

function listenAlone(dataDir: string, processesPath: string): Promise<Server> {
  const { dev, ino } = statSync(dataDir)
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const pid = readRows(processesPath)['start']?.pid
      const who = pid === undefined ? '' : ' (process ' + pid + ')'
      reject(
        new StartProblem(
          error.code === 'EADDRINUSE'
            ? 'Another npm start' +
                who +
                ' is running on ' +
                dataDir +
                ': stop it, or set SVC_DATA_DIR to another directory.'
            : 'The data directory ' + dataDir + ' cannot be claimed: ' + error.message,
        ),
      )
    })
    server.listen('\0svc-start-' + dev + '-' + ino, () => resolve(server))
  })
}

async function endLeftovers(path: string): Promise<void> {
  const alive = (): ProcessRow[] =>
    Object.entries(readRows(path))
      .filter(([name, row]) => name !== 'start' && startTimeOf(row.pid) === row.started)
      .map(([, row]) => row)
  for (let waitedMs = 0; alive().length > 0 && waitedMs < LEFTOVER_MS_MAX; ) {
    await sleep(LEFTOVER_POLL_MS)
    waitedMs += LEFTOVER_POLL_MS
  }
  for (const row of alive()) {
    try {
      process.kill(row.pid, 'SIGKILL')
    } catch (error) {
      throw new StartProblem(
        'Process ' +
          row.pid +
          ' of an earlier start is still running and cannot be ended: ' +
          messageOf(error),
      )
    }
  }
}

function readRows(path: string): { readonly [name: string]: ProcessRow } {
  try {
    const rows: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof rows !== 'object' || rows === null) return {}
    return Object.fromEntries(Object.entries(rows).filter(([, row]) => isRow(row)))
  } catch {
    // No earlier start, or one that was killed while it wrote: nothing to wait for.
    return {}
  }
}

function isRow(row: unknown): row is ProcessRow {
  return (
    typeof row === 'object' &&
    row !== null &&
    'pid' in row &&
    Number.isSafeInteger(row.pid) &&
    Number(row.pid) > 1 &&
    'started' in row &&
    typeof row.started === 'string'
  )
}

/**
 * Field 22 of /proc/<pid>/stat, counted after the name in parentheses; null where no such process
 * runs.
 */
function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync('/proc/' + pid + '/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
