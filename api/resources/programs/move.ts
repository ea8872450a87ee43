// The moves of programs, each locked, checked against the table, saved and announced in the caller's transaction. Operators
// make them; what the tenant may do with its program is in update.ts.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SuspendedBy } from '../../../shared/schemas/program.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { requireTenantFor, tenantTime } from '../tenants/index.ts'
import { recordProgramEvent } from './event.ts'
import { PROGRAM_MOVES } from './states.ts'
import {
  findAnyProgram,
  lockProgram,
  lockProgramsOf,
  type ProgramStand,
  saveStand,
} from './store.ts'
import { type ProgramRow, standingOf } from './view.ts'

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
  /** Why it is suspended or rejected. */
  reason: string | null
  suspendedBy: SuspendedBy | null
  /** The installation's time. */
  now: EpochMs
}

/**
 * The program afterwards, and whether it moved: one that is where the move leads stays as it is, without an event. Refuses with
 * 404, with 409 where the move is not legal, and with 403 where the tenant is suspended or not yet open for live. Chosen: a
 * program that was suspended with its tenant and is now suspended for itself stays suspended when the tenant is resumed.
 */
export async function moveProgram(
  sql: TxSql,
  wish: ProgramMove,
): Promise<{ program: ProgramRow; moved: boolean }> {
  const owner = await findAnyProgram(sql, wish.programId)
  if (owner === null) throw new Refusal('resource_missing')
  const { from, to, event } = PROGRAM_MOVES[wish.move]
  // The tenant is held before its programs, as by whoever suspends all of them.
  if (to === 'active') await requireTenantFor(sql, owner.tenantId, owner.environment)
  const held = await lockProgram(sql, owner, wish.programId)
  if (held === null) throw new Refusal('resource_missing')
  const anew = to === 'suspended' && held.suspendedWithTenant
  if (standingOf(held) === to && !anew) return { program: held, moved: false }
  if (!anew) requireState(standingOf(held), from)
  const program = await saveStand(sql, owner, { programId: held.id, stand: standAfter(wish) })
  const now = await tenantTime(sql, owner, wish.now)
  if (event !== null) await recordProgramEvent(sql, event, program, now)
  return { program, moved: true }
}

function standAfter({ move, reason, suspendedBy }: ProgramMove): ProgramStand {
  if (move === 'suspend')
    return { ...ACTIVE, status: 'suspended', suspendedBy, suspendReason: reason }
  if (move === 'reject') return { ...ACTIVE, status: 'pending', rejectReason: reason }
  return ACTIVE
}

/** Every active program of a tenant that is being suspended, in both environments. */
export async function suspendProgramsWithTenant(
  sql: TxSql,
  wish: { tenantId: string; suspendedBy: SuspendedBy; reason: string; now: EpochMs },
): Promise<void> {
  const stand: ProgramStand = {
    ...ACTIVE,
    status: 'suspended',
    suspendedBy: wish.suspendedBy,
    suspendReason: wish.reason,
    suspendedWithTenant: true,
  }
  const active = (await lockProgramsOf(sql, wish.tenantId)).filter(
    (program) => standingOf(program) === 'active',
  )
  for (const held of active) {
    const program = await saveStand(sql, held, { programId: held.id, stand })
    const now = await tenantTime(sql, held, wish.now)
    await recordProgramEvent(sql, PROGRAM_MOVES.suspend.event, program, now)
  }
}

/** Every program that was suspended because its tenant was, and for no reason of its own since. */
export async function resumeProgramsWithTenant(
  sql: TxSql,
  wish: { tenantId: string; now: EpochMs },
): Promise<void> {
  const suspended = (await lockProgramsOf(sql, wish.tenantId)).filter(
    (program) => program.suspendedWithTenant,
  )
  for (const held of suspended) {
    const program = await saveStand(sql, held, { programId: held.id, stand: ACTIVE })
    const now = await tenantTime(sql, held, wish.now)
    await recordProgramEvent(sql, PROGRAM_MOVES.resume.event, program, now)
  }
}
