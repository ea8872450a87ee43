// The running engine that a command of `npm run journal` asks: that of the shard in SVC_SHARD.
import { join } from 'node:path'
import type { Settings } from '../../shared/settings.ts'
import { FIRST_SHARD, ownShard, shardSocket } from '../../shared/shards.ts'

export const ENGINE_PLACE = [
  'SVC_DATA_DIR',
  'SVC_ENGINE_SOCKET',
  'SVC_SHARD',
  'SVC_SHARDS',
] as const

/** The shard of the settings, and the control socket of its engine. */
export function enginePlace(
  settings: Settings<(typeof ENGINE_PLACE)[number]>,
  dataDir: string,
): { socketPath: string; shard: string } {
  const socketPath = settings.SVC_ENGINE_SOCKET ?? join(dataDir, 'engine.sock')
  const own = ownShard(settings)
  return { socketPath: shardSocket(socketPath, own ?? FIRST_SHARD), shard: settings.SVC_SHARD }
}
