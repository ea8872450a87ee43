// The status of a cluster as text: who owns the shard, and why the others may not take over.
import type { LinkStatus } from '../../engine/member/link-paths.ts'
import type { Peers } from '../../engine/member/peer.ts'
import type { ShardEngine } from './machine.ts'
import { CELL, type ShardView } from './shard.ts'

/** A machine's engine of the shard. */
interface NamedEngine {
  name: string
  engine: ShardEngine
}

/** A line for the shard and one for each machine. */
export async function statusText(
  shard: string,
  engines: readonly NamedEngine[],
  { peers, view: { owner, members } }: { peers: Peers; view: ShardView },
): Promise<string> {
  const asked = engines.map(
    async (named): Promise<[NamedEngine, LinkStatus | null]> => [
      named,
      named.engine.pid === null ? null : await peers.status(named.engine.linkAddress),
    ],
  )
  const lines = (await Promise.all(asked)).map(([{ name, engine }, status]) => {
    const head = name + '  pid ' + (engine.pid ?? '-') + '  '
    if (status === null) return head + 'does not answer'
    const { member_id: id, role, epoch, synced_seq: synced, snapshot_seq: snapshot } = status
    const report = members.find((member) => member.id === id)?.report
    const able = report === undefined ? 'no report yet' : (report.ineligible ?? 'may take over')
    const facts = [
      role === 'owner' ? 'OWNER' : role,
      'epoch ' + epoch,
      'synced ' + synced,
      'drained ' + (report?.drained ?? 0),
      'snapshot ' + snapshot,
      id,
    ]
    return head + facts.join('  ') + (role === 'owner' ? '' : '  ' + able)
  })
  const owned =
    owner === null || owner.epoch === 0
      ? 'no owner yet'
      : 'owner ' + owner.memberId + ' in epoch ' + owner.epoch
  return ['shard ' + shard + ' of cell ' + CELL + ': ' + owned, ...lines].join('\n')
}
