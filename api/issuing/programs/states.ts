// States and moves of programs: each move is locked, checked against the table, saved and announced
// in the caller's transaction. Operators make them; update.ts has the tenant's changes.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { ProgramState, SuspendedBy } from '../../../shared/schemas/program.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireTenantFor, tenantTime } from '../../platform/tenants/index.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import type { Move } from '../../write/move.ts'
import { requireState } from '../../write/move.ts'
import {
  findAnyProgram,
  lockProgram,
  lockProgramsOf,
  type ProgramStand,
  saveStand,
} from './store.ts'
import { type ProgramRow, programView, stateOf } from './view.ts'

// The specification lists no event for a rejection: the program was inactive before and stays
// inactive.
export const PROGRAM_MOVES = {
  activate: { from: ['pending', 'rejected'], to: 'active', event: 'program.activated' },
  reject: { from: ['pending'], to: 'rejected', event: null },
  suspend: { from: ['active'], to: 'suspended', event: 'program.suspended' },
  resume: { from: ['suspended'], to: 'active', event: 'program.resumed' },
} as const satisfies Record<string, Move<ProgramState>>

const ACTIVE: ProgramStand = {
  status: 'active',
  suspendedBy: null,
  suspendReason: null,
  suspendedWithTenant: false,
  rejectReason: null,
}

export interface ProgramMove {
  programId: string
  move: keyof typeof PROGRAM_MOVES
  /** Reason of the suspension or rejection. */
  reason: string | null
  suspendedBy: SuspendedBy | null
  /** Installation time. */
  now: EpochMs
}

/**
 * Returns the program, and whether it moved: a program already in the target state stays as it is,
 * without an event. Refuses with 404, with 409 for an illegal move, and with 403 if the tenant is
 * suspended or not yet open for live. Chosen: a program suspended with its tenant and now suspended
 * on its own stays suspended when the tenant is resumed.
 */
export async function moveProgram(
  sql: TxSql,
  input: ProgramMove,
): Promise<{ program: ProgramRow; moved: boolean }> {
  const owner = await findAnyProgram(sql, input.programId)
  if (owner === null) throw new Refusal('resource_missing')
  const { from, to, event } = PROGRAM_MOVES[input.move]
  // The tenant is locked before its programs, in the order that suspending a tenant uses.
  if (to === 'active') await requireTenantFor(sql, owner.tenantId, owner.environment)
  const held = await lockProgram(sql, owner, input.programId)
  if (held === null) throw new Refusal('resource_missing')
  const anew = to === 'suspended' && held.suspendedWithTenant
  if (stateOf(held) === to && !anew) return { program: held, moved: false }
  if (!anew) requireState(stateOf(held), from)
  const program = await saveStand(sql, owner, { programId: held.id, stand: standAfter(input) })
  const now = await tenantTime(sql, owner, input.now)
  if (event !== null) await recordProgramEvent(sql, event, program, now)
  return { program, moved: true }
}

function standAfter({ move, reason, suspendedBy }: ProgramMove): ProgramStand {
  if (move === 'suspend')
    return { ...ACTIVE, status: 'suspended', suspendedBy, suspendReason: reason }
  if (move === 'reject') return { ...ACTIVE, status: 'pending', rejectReason: reason }
  return ACTIVE
}

/** Suspends every active program of a tenant under suspension, in both environments. */
export async function suspendProgramsWithTenant(
  sql: TxSql,
  input: { tenantId: string; suspendedBy: SuspendedBy; reason: string; now: EpochMs },
): Promise<void> {
  const stand: ProgramStand = {
    ...ACTIVE,
    status: 'suspended',
    suspendedBy: input.suspendedBy,
    suspendReason: input.reason,
    suspendedWithTenant: true,
  }
  const active = (await lockProgramsOf(sql, input.tenantId)).filter(
    (program) => stateOf(program) === 'active',
  )
  for (const held of active) {
    const program = await saveStand(sql, held, { programId: held.id, stand })
    const now = await tenantTime(sql, held, input.now)
    await recordProgramEvent(sql, PROGRAM_MOVES.suspend.event, program, now)
  }
}

/** Resumes every program that was suspended only because of its tenant. */
export async function resumeProgramsWithTenant(
  sql: TxSql,
  input: { tenantId: string; now: EpochMs },
): Promise<void> {
  const suspended = (await lockProgramsOf(sql, input.tenantId)).filter(
    (program) => program.suspendedWithTenant,
  )
  for (const held of suspended) {
    const program = await saveStand(sql, held, { programId: held.id, stand: ACTIVE })
    const now = await tenantTime(sql, held, input.now)
    await recordProgramEvent(sql, PROGRAM_MOVES.resume.event, program, now)
  }
}

/**
 * Records the event in the transaction of the change; `now` is the time of the program's tenant.
 */
export async function recordProgramEvent(
  sql: TxSql,
  type: EventType,
  row: ProgramRow,
  now: EpochMs,
): Promise<void> {
  const { tenantId, environment, id: resourceId } = row
  await recordEvent(sql, {
    tenantId,
    environment,
    type,
    resourceId,
    data: { program: programView(row) },
    now,
  })
}
