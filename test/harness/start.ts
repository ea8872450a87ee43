// Runs `npm start`'s script as a person would: a process of its own with a data directory and ports
// of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ListedCard } from '../../scripts/start/seed/listed-cards.ts'
import { COMPILED } from './compiled.ts'
import { SEGMENT_BYTES } from './segment-bytes.ts'
import { happens, until } from './until.ts'

const ROOT = new URL('../../', import.meta.url).pathname

export interface Started {
  dataDir: string
  child: ChildProcess
  /** Everything it printed so far. */
  output(): string
  /** The exit code, once it ended. */
  exited: Promise<number | null>
  /** The parsed sandbox.json, once it is there. */
  sandbox(): Promise<Sandbox>
}

export interface Sandbox {
  api_url: string
  auth_url: string
  engine_url: string
  dispatcher_url: string
  api_metrics_url: string
  /** Absent without a chain. */
  settler_url?: string
  engine_iso: { host: string; port: number } | null
  tenant_id: string
  network: { key_id: string; secret: string }
  keys: { read: string; write: string; admin: string; publishable: string }
  realtime_endpoint: { id: string; url: string; secret: string }
  cards: ListedCard[]
}

/**
 * A data directory that is removed afterwards; below the temporary directory, so that its paths are
 * short.
 */
export function newDataDir(t: { teardown(task: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-start-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export function start(
  dataDir: string,
  environment: { [name: string]: string },
  options: readonly string[] = [],
): Started {
  const own = {
    // On a busy machine a panel is late and not wrong.
    SVC_PANEL_MS: '60000',
    SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
    ...environment,
  }
  return startFrom(ROOT, dataDir, { environment: own, options })
}

/** Resolves once every row of the sandbox is made, of which the last lines of the output tell. */
export async function furnished({ child, output }: Started): Promise<void> {
  await until(() => output().includes('simulate -- --list') || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error('the start ended:\n' + output())
}

/** The same from other sources: a copy, or an older release. */
export function startFrom(
  root: string,
  dataDir: string,
  { environment, options }: { environment: { [name: string]: string }; options: readonly string[] },
): Started {
  const child = spawn(process.execPath, [join(root, 'scripts/start.ts'), ...options], {
    env: { ...COMPILED, SVC_DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  child.stderr.on('data', (bytes) => {
    output += bytes
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    dataDir,
    child,
    output: () => output,
    exited,
    async sandbox() {
      const path = join(dataDir, 'sandbox.json')
      if (
        !(await happens(() => existsSync(path) || child.exitCode !== null)) ||
        !existsSync(path)
      ) {
        throw new Error('no sandbox.json:\n' + output)
      }
      return JSON.parse(readFileSync(path, 'utf8'))
    },
  }
}

/** Pids of processes that have the data directory in their environment or stand below it. */
export function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const environment = readFileSync('/proc/' + pid + '/environ', 'utf8').split('\0')
        if (environment.includes('SVC_DATA_DIR=' + dataDir)) return true
        return readlinkSync('/proc/' + pid + '/cwd').startsWith(dataDir)
      } catch {
        return false
      }
    })
    .map(Number)
}
