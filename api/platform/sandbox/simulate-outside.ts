// Outside events on a tenant's own resources, simulated by the tenant: from the card shipper, the
// identity provider, the network in a dispute, the regulator and the sponsor bank. The same
// functions run as for the real source.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Card } from '../../../shared/schemas/card.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Dispute, DisputeOutcome } from '../../../shared/schemas/dispute.ts'
import type { Program, SuspendedBy } from '../../../shared/schemas/program.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { concludeKyc, simulateHit } from '../../issuing/cardholders/index.ts'
import { markParcel, shipCard } from '../../issuing/cards/index.ts'
import { askForEvidence, decideDispute } from '../../issuing/disputes/index.ts'
import { findAnyProgram, moveProgram, programView } from '../../issuing/programs/index.ts'
import { write } from '../../write/write.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'

/** Simulates the shipment of a physical card. Repeating the same status changes nothing. */
export async function simulateShipment(
  context: Context,
  parcel: { cardId: string; carrier: string; trackingNumber: string },
): Promise<Card> {
  return write(context, (sql) => shipCard(sql, context, parcel))
}

export async function simulateParcel(
  context: Context,
  parcel: { cardId: string; move: 'deliver' | 'return' },
): Promise<Card> {
  return write(context, (sql) => markParcel(sql, context, parcel))
}

export async function simulateKyc(
  context: Context,
  told: {
    cardholderId: string
    result: 'approved' | 'rejected' | 'requires_action'
    reasons: readonly string[]
  },
): Promise<Cardholder> {
  const { principal, now } = context
  return write(context, (sql) => concludeKyc(sql, principal, { ...told, now }))
}

/**
 * Answers once the engine declines every card of the cardholder. Each call makes another finding,
 * so the server does not repeat it.
 */
export async function simulateSanctionsHit(
  context: Context,
  cardholderId: string,
): Promise<Cardholder> {
  const { principal, now } = context
  const alertId = context.newId('alert')
  return writeConfirmed(context, (sql) =>
    simulateHit(sql, principal, { cardholderId, alertId, now }),
  )
}

export async function simulateOutcome(
  context: Context,
  decided: { id: string; outcome: DisputeOutcome },
): Promise<Dispute> {
  const { principal, now } = context
  return write(context, (sql) => decideDispute(sql, principal, { ...decided, now }))
}

export async function simulateEvidenceRequired(
  context: Context,
  input: { id: string; requested: string; dueBy: EpochMs | null },
): Promise<Dispute> {
  const { principal, now } = context
  return write(context, (sql) => askForEvidence(sql, principal, { ...input, now }))
}

/** Answers once authorizations and issuance follow the move. In live only an operator makes it. */
export async function simulateProgramMove(
  context: Context,
  input: {
    programId: string
    move: 'suspend' | 'resume'
    suspendedBy: SuspendedBy | null
    reason: string | null
  },
): Promise<Program> {
  const { principal } = context
  const now = context.now - principal.clockOffsetMs
  return writeConfirmed(context, async (sql) => {
    const program = await findAnyProgram(sql, input.programId)
    const own =
      program?.tenantId === principal.tenantId && program.environment === principal.environment
    if (!own) throw new Refusal('resource_missing')
    return programView((await moveProgram(sql, { ...input, now })).program)
  })
}
