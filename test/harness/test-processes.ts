// Which test files run in which process. A folder decides: the files of some share a process, and
// some files of others do.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../../shared/result.ts'
import { isLong } from './long.ts'

export interface TestProcess {
  /** Shown in the output: the file, or the folder. */
  name: string
  /** The folder of files that share the process; null for one file by itself. */
  folder: string | null
  /** Relative to the root; at least one. */
  files: readonly string[]
  /** Each file has an API and a database of its own. */
  apart: boolean
}

/** Longest run of a process in seconds; it ends only those that hang. */
export const PROCESS_S = 3000

/** Number of processes among which the files of a folder are dealt out; elsewhere one per file. */
const SHARED: { readonly [folder: string]: number } = {
  'test/structure': 1,
  'test/unit': 2,
  'test/live/api': 2,
  'test/live/billing': 1,
  'test/live/cards': 1,
  'test/live/controls': 1,
  'test/live/dashboard': 2,
  'test/live/oauth': 1,
  'test/live/passes': 1,
  'test/live/payments': 2,
  'test/live/people': 1,
  'test/live/processor': 1,
  'test/live/webhooks': 1,
}

/** Folders whose files share a process, and no database: jobs take the rows of every tenant. */
const APART: ReadonlySet<string> = new Set([
  ...['test/live/api', 'test/live/billing', 'test/live/payments', 'test/live/processor'],
])

/**
 * Files of a folder that share a process, each with stands of its own: a third of what they took
 * were the starts of their processes.
 */
const GROUPS: { readonly [folder: string]: { readonly [group: string]: readonly string[] } } = {
  'test/crash': {
    database: [
      ...['dispatcher', 'least-rights', 'payments-database', 'postgres', 'postgres-hung'],
      ...['settler-role'],
    ],
    disks: [
      ...['directory-lock', 'disk', 'journal-kill', 'journal-power-cut', 'shard-disks'],
      ...['shard-power'],
    ],
    doors: ['front-door', 'poison', 'shard-door'],
    formats: ['newer-formats', 'promoted', 'releases', 'upgrade'],
    kills: ['api-kills', 'delivery-kills', 'kill-loops', 'races'],
    members: ['history', 'members', 'moved-clocks'],
    shards: ['agreement', 'etcd-lost', 'shard-faults', 'shard-lines', 'shard-links'],
  },
  'test/drills': {
    runbooks: [
      ...['restore-drill', 'runbook-calls', 'runbook-certificate', 'runbook-disk'],
      ...['runbook-journal', 'runbook-rates', 'runbook-settlement'],
    ],
  },
  'test/live': {
    api: [
      ...['api-fuzz', 'api-idempotency', 'api-isolation', 'backup', 'fair-queue', 'long-lists'],
      ...['openapi', 'sandbox', 'sandbox-seed', 'two-operators', 'wallet-drawing'],
    ],
    commands: [
      ...['bench-generator', 'bench-plan', 'deploy-files', 'help', 'log-contract', 'logs'],
      ...['parent', 'process-priority', 'script-settings', 'simulate-load'],
      ...['simulate-scenarios', 'supervisor'],
    ],
    database: [
      ...['adopt', 'database-hosts', 'migrate', 'page', 'reconnected', 'standby-metrics'],
      ...['start-roles', 'transaction-guard', 'upkeep'],
    ],
    delivery: [
      ...['clocks', 'delivery', 'delivery-cost', 'delivery-send', 'dispatcher-metrics'],
      ...['fan-out', 'receivers', 'rekey', 'retention'],
    ],
    drain: [
      ...['coming-back', 'config-history', 'config-sync', 'created-spans', 'drain', 'drain-life'],
      ...['drain-mixed', 'drain-wipe', 'lifecycle-drain'],
    ],
    engine: [
      ...['engine', 'engine-config', 'engine-windows', 'decision-replay', 'drain-engine'],
      ...['sandbox-clock-engine', 'screening-engine', 'shards'],
    ],
    line: [
      ...['config-cache', 'control', 'engine-clock', 'engine-realtime', 'journal'],
      ...['journal-script', 'replay-script', 'snapshot-file', 'snapshots', 'tenant-call'],
    ],
    network: [
      ...['iso8583', 'iso8583-link', 'network-port-cuts', 'network-port-fuzz'],
      ...['network-port-http', 'network-port-input', 'network-port-load'],
      ...['network-port-restart', 'network-port-tls'],
    ],
  },
}

/** The processes that last longest begin first, so that none is alone in the end. */
const LONGEST: readonly string[] = [
  'test/live/scenarios.test.ts',
  'test/live/dashboard 2 of 2',
  'test/live/dashboard 1 of 2',
  'test/live/whole-service.test.ts',
  'test/live/processor',
  'test/live/payments 1 of 2',
  'test/live/people',
  'test/live engine',
  'test/live/start.test.ts',
]

/** Long by nature: drills of whole installations, of `npm run test:long` alone. */
const DRILLS = 'test/drills'

/** Test files with commas between them; where it is set, a folder runs only these of its files. */
export const FILES_VARIABLE = 'SVC_TEST_FILES'

/** In the order of a whole run. */
const FOLDERS = [
  'test/simulation',
  'test/crash',
  'test/live',
  'test/isolated',
  'test/unit',
  'test/structure',
]

/** The processes for these folders and files (all for none), or a sentence about a wrong name. */
export function testProcesses(
  root: string,
  names: readonly string[],
): Result<readonly TestProcess[], string> {
  const whole = isLong ? [DRILLS, ...FOLDERS] : FOLDERS
  const chosen = names.length === 0 ? whole : names
  const processes: TestProcess[] = []
  for (const name of chosen) {
    const kind = statSync(join(root, name), { throwIfNoEntry: false })
    if (kind?.isDirectory()) processes.push(...wantedOf(processesOf(root, name)))
    else if (kind?.isFile() && name.endsWith('.test.ts'))
      processes.push({ name, folder: null, files: [name], apart: true })
    else return { ok: false, error: name + ' is neither a test file nor a folder of tests' }
  }
  if (processes.length === 0) return { ok: false, error: 'no test file in ' + names.join(', ') }
  if (names.length > 0) return { ok: true, value: processes }
  const rank = ({ name }: TestProcess): number => LONGEST.indexOf(name) + 1 || LONGEST.length + 1
  return { ok: true, value: processes.toSorted((one, other) => rank(one) - rank(other)) }
}

function wantedOf(processes: readonly TestProcess[]): TestProcess[] {
  const wanted = process.env[FILES_VARIABLE]?.split(',')
  if (wanted === undefined) return [...processes]
  return processes
    .map((each) => ({ ...each, files: each.files.filter((file) => wanted.includes(file)) }))
    .filter(({ files }) => files.length > 0)
}

/** A folder within it is a folder of its own, with processes of its own. */
function processesOf(root: string, folder: string): TestProcess[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const inner = entries.filter((entry) => entry.isDirectory())
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => folder + '/' + entry.name)
    .toSorted()
  const shared = SHARED[folder]
  const own = shared === undefined ? grouped(folder, files) : dealt(folder, files, shared)
  return [...inner.flatMap(({ name }) => processesOf(root, folder + '/' + name)), ...own]
}

/** The groups of the folder, and each other file by itself. */
function grouped(folder: string, files: readonly string[]): TestProcess[] {
  const groups = Object.entries(GROUPS[folder] ?? {}).map(([group, names]) => ({
    name: folder + ' ' + group,
    folder,
    files: names.map((name) => folder + '/' + name + '.test.ts'),
    apart: true,
  }))
  const shared = new Set(groups.flatMap((group) => group.files))
  const alone = files
    .filter((file) => !shared.has(file))
    .map((file) => ({ name: file, folder: null, files: [file], apart: true }))
  return [...groups, ...alone]
}

function dealt(folder: string, files: readonly string[], count: number): TestProcess[] {
  return Array.from({ length: count }, (_, part) => ({
    name: folder + (count === 1 ? '' : ' ' + (part + 1) + ' of ' + count),
    folder,
    files: files.filter((_file, index) => index % count === part),
    apart: APART.has(folder),
  })).filter((process) => process.files.length > 0)
}
