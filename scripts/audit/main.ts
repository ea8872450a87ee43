// `npm run audit -- verify`: recomputes the chain of every audit log, and names the first altered
// row.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { listLogs, verifyLog } from '../../api/platform/audit/index.ts'
import { refuse } from '../../shared/command-line.ts'
import type { AuditVerification } from '../../shared/schemas/audit-log-entry.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

/** Returns the exit code: 1 if a chain is broken. */
export async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tenant: { type: 'string' } },
  })
  if (positionals.join(' ') !== 'verify') return refuse('Say what to do: npm run audit -- verify')
  const settings = readScriptSettings(['DATABASE_URL', 'SVC_DATA_DIR'])
  if (!settings.ok) return refuse(settings.error.join('\n'))
  const { DATABASE_URL: configured, SVC_DATA_DIR: dataDir } = settings.value
  const url = configured ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null) {
    return refuse('DATABASE_URL is not set and no npm start is running on ' + dataDir + '.')
  }
  const sql = openPool(url, { max: 1, applicationName: 'svc-audit' })
  try {
    return await verifyLogs(sql, values.tenant ?? null)
  } catch (error) {
    return refuse(connectProblem(error, url))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function verifyLogs(sql: Sql, tenantId: string | null): Promise<number> {
  const logs = await listLogs(sql, tenantId)
  if (logs.length === 0) return refuse('There is no such audit log.')
  let broken = 0
  for (const log of logs) {
    const found = await verifyLog(sql, log, { from: 1, rowsMax: Number.MAX_SAFE_INTEGER })
    process.stdout.write(log.tenantId + ' ' + log.environment + ': ' + lineOf(found) + '\n')
    if (!found.valid) broken += 1
  }
  return broken === 0 ? 0 : refuse(broken + ' of ' + logs.length + ' audit logs are broken.')
}

function lineOf({ broken, rows, head }: AuditVerification): string {
  if (broken === null) return rows + ' rows hold, up to ' + (head?.hash ?? 'none')
  const row = 'row ' + broken.seq + (broken.id === null ? '' : ' (' + broken.id + ')')
  return 'broken at ' + row + ': ' + broken.problem
}
