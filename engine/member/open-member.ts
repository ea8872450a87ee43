// The second half of a member's start, once the engine around it is built: its link opens, and it
// begins to follow.
import type { Result } from '../../shared/result.ts'
import type { Answer } from '../control/answers.ts'
import { journalState } from '../control/check-database-match.ts'
import { listSnapshots } from '../journal/snapshot-file.ts'
import { type Link, openLink } from './link.ts'
import type { LinkStatus } from './link-paths.ts'
import { Member, type MemberParts } from './member.ts'
import { isMember } from './member-token.ts'
import { type MessageLinkOptions, takeMessages } from './message-link.ts'
import { memberLines } from './metrics.ts'

export interface OpenMemberOptions extends MemberParts {
  journalDir: string
  /** Messages of a front door. */
  line: MessageLinkOptions
  /** A request of the control socket that came over the link. */
  control(method: string, url: string, body: Buffer): Promise<Answer>
}

export interface OpenMember {
  member: Member
  link: Link
  /** Lines of the metrics page. */
  lines(): string[]
}

/** Opens the link and follows; or why the link cannot be opened. */
export async function openMember(options: OpenMemberOptions): Promise<Result<OpenMember, string>> {
  const { config, clock, log, journal, masterKeys } = options
  const member = new Member(options)
  const link = await openLink({
    address: config.address,
    tls: config.memberTls,
    clock,
    log,
    isMember: (authorization) => isMember(masterKeys, authorization),
    status: () => statusOf(options, member),
    beat: () => member.beat(),
    read: (fromSeq, bytesMax) => journal.read(fromSeq, bytesMax),
    snapshot: () => listSnapshots(options.journalDir)[0] ?? null,
    handOver: (to) => member.handOver(to),
    messages: (door) => takeMessages(door, options.line),
    control: options.control,
  })
  if (!link.ok) return link
  member.start()
  return { ok: true, value: { member, link: link.value, lines: () => memberLines(member) } }
}

function statusOf(
  { journal, memberId, journalDir }: OpenMemberOptions,
  member: Member,
): LinkStatus {
  const { firstSeq, journalId, syncedSeq } = journalState(journal.local, null)
  return {
    member_id: memberId,
    journal_id: journalId,
    first_seq: firstSeq,
    synced_seq: syncedSeq,
    snapshot_seq: listSnapshots(journalDir)[0]?.seq ?? 0,
    role: journal.role,
    epoch: member.ownership.owner?.epoch ?? 0,
  }
}
