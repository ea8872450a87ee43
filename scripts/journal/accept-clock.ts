// `npm run journal -- accept-clock DISAGREEMENT`: an operator's word that the engine's system clock
// is right. The engine runs, refuses its clock and names the disagreement; the word is about
// exactly that one.
import { createEngineClient, EngineError } from '../../api/engine-link/client.ts'
import { systemClock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { readScriptSettings } from '../config.ts'
import { ENGINE_PLACE, enginePlace } from './engine-place.ts'

/** Returns null once the engine accepted, or the sentence that says why nothing was changed. */
export async function acceptClockByName(
  disagreement: string,
  givenDataDir: string | undefined,
): Promise<Result<null, string>> {
  const settings = readScriptSettings(ENGINE_PLACE)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const dataDir = givenDataDir ?? settings.value.SVC_DATA_DIR
  const { socketPath } = enginePlace(settings.value, dataDir)
  const client = createEngineClient({ socketPath, clock: systemClock })
  try {
    await client.acceptClock(disagreement)
    return { ok: true, value: null }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const silent = error.status === 0
    return { ok: false, error: silent ? 'No engine answers on ' + socketPath + '.' : error.message }
  } finally {
    client.close()
  }
}
