// `npm run journal -- accept-timeline SYSTEM:TIMELINE`: an operator's word that a database of an
// earlier timeline is the right one. The engines of this machine attach to it by themselves.
import { acceptTimeline } from '../../engine/database-timeline.ts'
import type { Result } from '../../shared/result.ts'
import { shardDirectory, shardNames } from '../../shared/shards.ts'
import { readScriptSettings } from '../config.ts'

/** Accepts it for every shard of this machine whose engine refuses it; their names, or a reason. */
export async function acceptTimelineByName(
  timeline: string,
  givenDataDir: string | undefined,
): Promise<Result<readonly string[], string>> {
  const settings = readScriptSettings(['SVC_DATA_DIR', 'SVC_SHARDS'])
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { SVC_SHARDS: shards } = settings.value
  const dataDir = givenDataDir ?? settings.value.SVC_DATA_DIR
  const accepted: string[] = []
  let error = ''
  for (const shard of shardNames(shards)) {
    const done = await acceptTimeline(shardDirectory(dataDir, shard), timeline)
    if (done.ok) accepted.push(shard)
    else error = done.error
  }
  return accepted.length > 0 ? { ok: true, value: accepted } : { ok: false, error }
}
