// Metrics of a member as Prometheus text: lines beside those of every engine.
import { familyLines, type MetricFamily, valueLines } from '../../shared/metric-text.ts'
import type { Cause } from '../ownership/ownership.ts'
import type { Member } from './member.ts'

/** The lines of a member; computed when the page is asked for. */
export function memberLines(member: Member): string[] {
  const { journal } = member.parts
  const lag = member.members.all
    .filter(({ alive, id }) => alive && id !== member.parts.memberId)
    .map(({ id, report }) => {
      const behind = Math.max(0, journal.syncedSeq - report.synced)
      return 'svc_member_behind_entries{member="' + id + '"} ' + behind
    })
  return [
    ...ROWS.flatMap(({ value, ...family }) => valueLines(family, value(member))),
    ...familyLines(TAKE_OVERS, takeOversOf(member)),
    ...familyLines(INELIGIBLE, reasonsOf(member)),
    ...familyLines(
      {
        name: 'svc_member_behind_entries',
        type: 'gauge',
        help: 'Entries on this disk that another living member has not synced yet.',
      },
      lag,
    ),
    ...familyLines(
      {
        name: 'svc_agreement_transaction_seconds',
        type: 'histogram',
        help: 'Time until etcd committed a batch, repetitions included.',
      },
      journal.transactions.lines('svc_agreement_transaction_seconds'),
    ),
  ]
}

const TAKE_OVERS: MetricFamily = {
  name: 'svc_member_take_overs_total',
  type: 'counter',
  help: 'Take-overs of the shard by this process, by the cause: one at most.',
}

function takeOversOf({ ownership }: Member): string[] {
  const { owns, cause } = ownership
  return CAUSES.map(
    (name) => TAKE_OVERS.name + '{cause="' + name + '"} ' + (owns && cause === name ? 1 : 0),
  )
}

const CAUSES: readonly Cause[] = ['no_owner', 'own_restart', 'link_closed', 'silent', 'stuck']

const INELIGIBLE: MetricFamily = {
  name: 'svc_member_ineligible',
  type: 'gauge',
  help: '1 while this member may not take over, with the reason.',
}

function reasonsOf(member: Member): string[] {
  const reason = member.ineligible()
  if (reason === null) return []
  return [INELIGIBLE.name + '{reason="' + reason.replace(/["\\\n]/g, ' ') + '"} 1']
}

const ROWS: readonly (MetricFamily & { value(member: Member): number })[] = [
  {
    name: 'svc_member_owns',
    type: 'gauge',
    help: '1 while this member owns the shard.',
    value: ({ ownership }) => (ownership.owns ? 1 : 0),
  },
  {
    name: 'svc_member_epoch',
    type: 'gauge',
    help: 'Epoch of the owner that this member last read.',
    value: ({ ownership }) => ownership.owner?.epoch ?? 0,
  },
  {
    name: 'svc_member_eligible',
    type: 'gauge',
    help: '1 while this member may take over.',
    value: (member) => (member.ineligible() === null ? 1 : 0),
  },
  {
    name: 'svc_owner_changes_total',
    type: 'counter',
    help: 'Changes of the owner that this member saw.',
    value: ({ ownership }) => ownership.changes,
  },
  {
    name: 'svc_member_lag_entries',
    type: 'gauge',
    help: 'Committed entries that this member has not applied.',
    value: ({ ownership }) => ownership.lag,
  },
  {
    name: 'svc_member_practised_total',
    type: 'counter',
    help: 'Messages that this member decided for practice before it owned the shard.',
    value: ({ parts }) => parts.practice.decided,
  },
  {
    name: 'svc_agreement_tail_bytes',
    type: 'gauge',
    help: 'Bytes of entries that etcd holds for the shard.',
    value: ({ parts }) => parts.tail.bytes,
  },
  {
    name: 'svc_agreement_tail_bytes_max',
    type: 'gauge',
    help: 'Bytes of entries in etcd at which the shard refuses messages: its part of the cell.',
    value: ({ parts }) => parts.tail.bytesMax,
  },
  {
    name: 'svc_agreement_unknown_total',
    type: 'counter',
    help: 'Transactions whose outcome etcd did not tell.',
    value: ({ parts }) => parts.journal.unknown,
  },
]
