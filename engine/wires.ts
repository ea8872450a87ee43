// The parts of an engine that others reach before they are built: each is null until then.
import type { AuthorizationLine } from './authorize.ts'
import type { Control, ControlOptions } from './control/control.ts'
import type { OpenMember } from './member/open-member.ts'
import type { Snapshots } from './snapshots.ts'

export interface Wires {
  line: AuthorizationLine | null
  control: Control | null
  snapshots: Snapshots | null
  /** Null on one machine. */
  member: OpenMember | null
  /** The engine ends in order: the loss of its shard is no failure any more. */
  stopping: boolean
}

const JOINING = 'This engine joins its shard.'

/** Why a member decides nothing now, in one sentence; null where it may. */
export function membership({ member }: Wires): string | null {
  return member === null ? JOINING : member.member.unready()
}

/** True on one machine, and where a member has news of its shard. */
export function hears({ member }: Wires): boolean {
  return member === null || member.member.ownership.hears
}

/** Metrics of a member; none on one machine. */
export function memberLinesOf({ member }: Wires): string[] {
  return member === null ? [] : member.lines()
}

/** The part of the control socket that only a member has. */
export function memberRequests(wires: Wires): Pick<ControlOptions, 'confirm' | 'forward'> {
  return {
    confirm: () => wires.member?.member.confirm() ?? Promise.resolve(false),
    forward: (...request) => wires.member?.member.forward(...request) ?? null,
  }
}
