// The status of a cluster as text: who owns the shard, and why the others may not take over.
import type { LinkStatus } from '../../engine/member/link-paths.ts'
import type { Peers } from '../../engine/member/peer.ts'
import type { Machine } from './machine.ts'
import type { ShardView } from './shard.ts'

/** A line for the shard and one for each machine. */
export async function statusText(
  machines: readonly Machine[],
  peers: Peers,
  { owner, members }: ShardView,
): Promise<string> {
  const asked = machines.map(
    async (machine): Promise<[Machine, LinkStatus | null]> => [
      machine,
      machine.pid === null ? null : await peers.status(machine.linkAddress),
    ],
  )
  const lines = (await Promise.all(asked)).map(([machine, status]) => {
    const head = machine.at.name + '  pid ' + (machine.pid ?? '-') + '  '
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
  const shard =
    owner === null || owner.epoch === 0
      ? 'no owner yet'
      : 'owner ' + owner.memberId + ' in epoch ' + owner.epoch
  return ['shard s1 of cell main: ' + shard, ...lines].join('\n')
}
