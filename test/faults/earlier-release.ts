// Data and code of an earlier version: the data from test/fixtures/upgrade-N, the code from the
// history of the repository where this clone has it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import type { SandboxCard, SandboxSecrets } from '../../scripts/start/sandbox-secrets.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'
import { runNodeScript } from './script.ts'

const ROOT = join(import.meta.dirname, '../..')
export const FIXTURES = join(ROOT, 'test/fixtures')
/** Names of the fixtures, the oldest first. */
export const RELEASES = readdirSync(FIXTURES).filter((name) => /^upgrade-\d+$/.test(name))

export interface Expected {
  answers: { id: string; transaction_id: string | null; approved: boolean; cents: number }[]
  holder: string
  cards: SandboxCard[]
  secrets: Pick<SandboxSecrets, 'network' | 'keys' | 'programs' | 'tenant_id'>
}

export interface Restored {
  sql: Sql
  environment: { [name: string]: string }
  expected: Expected
  /** Migrations of the earlier version. */
  migrations: number
}

/** The earlier version's data in an empty database and data directory, not yet migrated. */
export async function restoreRelease(t: Test, name: string): Promise<Restored> {
  const place = mkdtempSync(join(tmpdir(), 'svc-test-upgrade-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  const unpacked = spawnSync('tar', ['-xzf', join(FIXTURES, name, 'copy.tar.gz'), '-C', place])
  if (unpacked.status !== 0) throw new Error(String(unpacked.stderr))
  const { url, sql } = await openUnmigratedDatabase(t)
  const environment = { DATABASE_URL: url, SVC_DATA_DIR: join(place, 'data') }
  const { code, output } = await runNodeScript(
    'scripts/restore.ts',
    ['--from', join(place, 'copy'), '--keys-from', join(place, 'keys')],
    environment,
  )
  t.equal(code, 0, output)
  t.match(output, 'Run npm run migrate before the service starts.')
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from migration_history`
  const expected = JSON.parse(readFileSync(join(place, 'expected.json'), 'utf8')) as Expected
  return { sql, environment, expected, migrations: row?.count ?? 0 }
}

function commitOf(name: string): string {
  const [commit = ''] = readFileSync(join(FIXTURES, name, 'commit'), 'utf8').split(' ')
  return commit
}

/** Options of a test that runs the version's own code: skipped where the history lacks it. */
export function needsCodeOf(name: string): { skip?: string } {
  const commit = commitOf(name)
  const found = spawnSync('git', ['cat-file', '-e', commit + '^{commit}'], { cwd: ROOT })
  if (found.status === 0) return {}
  const why =
    found.error === undefined ? 'this checkout has no history with commit ' : 'no git for '
  return { skip: why + commit + ', the code of ' + name }
}

/** A directory with the version's code, beside today's packages; gone with the test. */
export function codeOf(t: Test, name: string): string {
  const place = mkdtempSync(join(tmpdir(), 'svc-test-earlier-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  const parts = 'api client engine shared scripts patches package.json'
  const line = 'git archive ' + commitOf(name) + ' ' + parts + ' | tar -x -C ' + place
  const unpacked = spawnSync('sh', ['-c', line], { cwd: ROOT, encoding: 'utf8' })
  if (unpacked.status !== 0) throw new Error(unpacked.stderr)
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  return place
}
