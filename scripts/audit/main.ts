// `npm run audit -- verify`: recomputes the chain of every audit log, names the first altered row,
// and compares with the anchors that were kept outside of the database.
import { createReadStream, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { compareAnchors, isCutLine, listLogs, verifyLog } from '../../api/platform/audit/index.ts'
import { refuse } from '../../shared/command-line.ts'
import type { AuditVerification } from '../../shared/schemas/audit-log-entry.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

/** Problems of one file that are printed. */
const PROBLEMS_SHOWN_MAX = 20

/** Returns the exit code: 1 if a chain is broken or contradicts an anchor. */
export async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tenant: { type: 'string' }, anchors: { type: 'string', multiple: true } },
  })
  if (positionals.join(' ') !== 'verify') return refuse('Say what to do: npm run audit -- verify')
  const settings = readScriptSettings(['DATABASE_URL', 'SVC_DATA_DIR', 'SVC_AUDIT_ANCHORS'])
  if (!settings.ok) return refuse(settings.error.join('\n'))
  const {
    DATABASE_URL: configured,
    SVC_DATA_DIR: dataDir,
    SVC_AUDIT_ANCHORS: kept,
  } = settings.value
  const anchored = kept !== null && 'path' in kept ? [kept.path] : []
  const files = values.anchors?.map((file) => resolve(file)) ?? anchored
  const lacking = files.find((file) => !existsSync(file))
  if (lacking !== undefined) return refuse('There are no anchors at ' + lacking + '.')
  const url = configured ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null) {
    return refuse('DATABASE_URL is not set and no npm start is running on ' + dataDir + '.')
  }
  const sql = openPool(url, { max: 1, applicationName: 'svc-audit' })
  try {
    const tenantId = values.tenant ?? null
    const chains = await verifyLogs(sql, tenantId)
    let contradicted = 0
    for (const file of files) contradicted += await compareFile(sql, file, tenantId)
    if (contradicted > 0) return refuse(contradicted + ' anchors are contradicted.')
    return chains
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

/** Compares every line of a file, and returns how many anchors the database contradicts. */
async function compareFile(sql: Sql, file: string, tenantId: string | null): Promise<number> {
  let [lines, cut, anchors, contradicted, last] = [0, 0, 0, 0, 'none']
  const told = (problem: string): void => {
    contradicted += 1
    if (contradicted <= PROBLEMS_SHOWN_MAX) process.stdout.write(problem + '\n')
  }
  for await (const line of createInterface({ input: createReadStream(file) })) {
    lines += 1
    // The writer of a file that it may not read ends the line before each of its own.
    if (line === '') continue
    const compared = await compareAnchors(sql, line, tenantId)
    if (compared === null && isCutLine(line)) {
      cut += 1
      continue
    }
    if (compared === null) {
      told(file + ' line ' + lines + ' is no line of anchors')
      continue
    }
    anchors += compared.anchors
    last = compared.at
    for (const problem of compared.problems) told(problem)
  }
  const held = anchors - Math.min(anchors, contradicted)
  const torn = cut === 0 ? '' : '; ' + cut + ' lines were cut when they were written'
  process.stdout.write(
    file + ': ' + held + ' anchors hold, the last line is of ' + last + torn + '\n',
  )
  return contradicted
}

function lineOf({ broken, rows, head }: AuditVerification): string {
  if (broken === null) return rows + ' rows hold, up to ' + (head?.hash ?? 'none')
  const row = 'row ' + broken.seq + (broken.id === null ? '' : ' (' + broken.id + ')')
  return 'broken at ' + row + ': ' + broken.problem
}
