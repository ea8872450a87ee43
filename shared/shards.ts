// Shards of one cell: their names, and where each keeps its things on a machine. The first one
// keeps them where an installation with one shard has them, so that it goes on as shard s1.
import { join } from 'node:path'

/** The shard of every placement group without a placement. */
export const FIRST_SHARD = 's1'
/** The place of a group while it moves: no engine decides for it. */
export const NO_SHARD = '-'

/** The folder of the shards beyond the first one, in a data directory. */
export const SHARDS_FOLDER = 'shards'

/** The names of so many shards, the first one first. */
export function shardNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => 's' + (at + 1))
}

/** Settings of a process that belongs to one of the shards. */
export interface ShardSettings {
  SVC_SHARD: string
  SVC_SHARDS: number
}

/**
 * The shard of the settings, null where there is only one: then its things stand where those of the
 * first one do, whatever it is called.
 */
export function ownShard({ SVC_SHARD: shard, SVC_SHARDS: shards }: ShardSettings): string | null {
  return shards > 1 ? shard : null
}

/** The directory of a shard's journal and config records. */
export function shardDirectory(dataDir: string, shard: string): string {
  return shard === FIRST_SHARD ? dataDir : join(dataDir, SHARDS_FOLDER, shard)
}

/** The control socket of a shard's engine, beside that of the first one. */
export function shardSocket(socketPath: string, shard: string): string {
  if (shard === FIRST_SHARD) return socketPath
  return socketPath.replace(/(\.sock)?$/, (ending) => '-' + shard + ending)
}

/** The socket on which a front door takes config records, beside those of the engines. */
export function doorSocket(socketPath: string): string {
  return socketPath.replace(/(\.sock)?$/, (ending) => '-door' + ending)
}
