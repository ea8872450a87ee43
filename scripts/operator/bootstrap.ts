// Writes the first operator of an installation into the database. Write access to the database is
// the permission.
import { join } from 'node:path'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { addOperator, countOperators, unlinkOperators } from '../../api/platform/operators/index.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { Result } from '../../shared/result.ts'
import type { NewOperator } from '../../shared/schemas/operator.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

export interface BootstrapInput {
  name: string
  /** Also if operators exist, because all their credentials or passkeys are lost. */
  lost: boolean
  /** Beside exactly one operator. */
  second: boolean
  dataDir: string | null
}

/** The operator with the credential, or a sentence. The migrations must have run. */
export async function bootstrap(invocation: BootstrapInput): Promise<Result<NewOperator, string>> {
  const settings = readScriptSettings(['DATABASE_URL', 'SVC_DATA_DIR'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const dataDir = invocation.dataDir ?? settings.value.SVC_DATA_DIR
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null)
    return { ok: false, error: 'DATABASE_URL must be set: the database to write to.' }
  const sql = openPool(url, { max: 1, applicationName: 'svc-operator' })
  try {
    return await tx(sql, async (inner) => {
      const createdAt = systemClock.nowMs()
      const refusal = refusalOf(invocation, await countOperators(inner, createdAt))
      if (refusal !== null) return { ok: false, error: refusal }
      if (invocation.lost) await unlinkOperators(inner)
      const id = newId('op', createdAt)
      return { ok: true, value: await addOperator(inner, { id, name: invocation.name, createdAt }) }
    })
  } catch (error) {
    return { ok: false, error: problemOf(error, url) }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** A sentence where this many operators whose credentials work stand against it. */
function refusalOf({ lost, second }: BootstrapInput, operators: number): string | null {
  if (lost || operators === (second ? 1 : 0)) return null
  if (second)
    return '--second is for an installation with one operator; there are ' + operators + '.'
  return 'There is an operator already, who makes others with operators create. A second one beside it, for an installation that serves live: --second. Where the credentials of all are lost: --lost.'
}

function problemOf(error: unknown, url: string): string {
  const missing = error instanceof Error && 'code' in error && error.code === '42P01'
  return missing
    ? 'DATABASE_URL: the database has no table for operators; run the migrations first.'
    : connectProblem(error, url)
}
