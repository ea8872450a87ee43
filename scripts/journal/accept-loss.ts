// `npm run journal -- accept-loss JOURNAL`: the one writing command. The engine runs and refuses
// the database; afterwards it attaches.
import { join } from 'node:path'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { type AcceptedLoss, acceptLoss } from '../../api/engine-link/accept-loss.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import type { StatusAnswer } from '../../shared/wire/control.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { ENGINE_PLACE, enginePlace } from './engine-place.ts'

/** Returns the accepted loss, or the sentence that says why nothing was changed. */
export async function acceptLossByName(
  journalId: string,
  givenDataDir: string | undefined,
): Promise<Result<AcceptedLoss, string>> {
  const settings = readScriptSettings([...ENGINE_PLACE, 'DATABASE_URL'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const dataDir = givenDataDir ?? settings.value.SVC_DATA_DIR
  const { socketPath, shard } = enginePlace(settings.value, dataDir)
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null)
    return {
      ok: false,
      error: 'DATABASE_URL is not set and no npm start is running on ' + dataDir + '.',
    }
  const engine = await statusOf(socketPath)
  if (engine === null) return { ok: false, error: 'No engine answers on ' + socketPath + '.' }
  const sql = openPool(url, { max: 1, applicationName: 'svc-journal' })
  try {
    return await acceptLoss(sql, engine, { journalId, shard })
  } catch (error) {
    return { ok: false, error: connectProblem(error, url) }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function statusOf(socketPath: string): Promise<StatusAnswer | null> {
  const client = createEngineClient({ socketPath, clock: systemClock })
  try {
    return await client.status()
  } catch {
    return null
  } finally {
    client.close()
  }
}
