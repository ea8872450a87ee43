// The PostgreSQL versions that svc runs on.
import { MigrationRefused } from './migration-refused.ts'
import type { TxSql } from './transaction.ts'

/** The oldest major version whose statements and storage options our SQL was tried on. */
const POSTGRES_OLDEST = 14
/** `server_version_num` is the major version times this, plus the minor one. */
const MAJOR = 10_000

/** The sentence for an operator whose PostgreSQL is too old; null where it is supported. */
export function versionProblem(versionNumber: number): string | null {
  const major = Math.floor(versionNumber / MAJOR)
  if (major >= POSTGRES_OLDEST) return null
  return (
    'DATABASE_URL: PostgreSQL ' + major + ' is too old: svc needs ' + POSTGRES_OLDEST + ' or later.'
  )
}

/** Throws MigrationRefused where the server is too old. */
export async function requireSupportedServer(sql: TxSql): Promise<void> {
  const [row] = await sql<{ version: number }[]>`
    select current_setting('server_version_num')::int as version`
  const problem = row === undefined ? null : versionProblem(row.version)
  if (problem !== null) throw new MigrationRefused(problem)
}
