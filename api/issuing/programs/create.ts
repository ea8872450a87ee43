// Creates a program. Chosen: a sandbox program is active at once, for trials; a live program waits
// until an operator activates it.
import { isCurrency } from '../../../shared/money.ts'
import type { NewProgramInput, Program } from '../../../shared/schemas/program.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireTenantNotSuspended } from '../../platform/tenants/index.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { newSettings } from './settings.ts'
import { PROGRAM_MOVES, recordProgramEvent } from './states.ts'
import { insertProgram, isRealtimeEntitled, saveProgram } from './store.ts'
import { programView } from './view.ts'

/** Repeating the call would create another program. */
const ADVICE = 'Send a PATCH to resource_id to wait for it; this call would make another.'

/** The server never repeats this call, because each run creates another program. */
export async function createProgram(context: Context, input: NewProgramInput): Promise<Program> {
  const { principal, now } = context
  const {
    name,
    currency = null,
    external_id: externalId = null,
    metadata = {},
    ...requested
  } = input
  if (currency !== null && !isCurrency(currency)) {
    throw new Refusal('parameter_invalid', {
      param: 'currency',
      message: 'This field must be a currency in which cards can be issued.',
    })
  }
  const change = async (sql: TxSql) => {
    await requireTenantNotSuspended(sql, principal.tenantId)
    if (requested.realtime === true && !(await isRealtimeEntitled(sql, principal)))
      throw new Refusal('feature_not_enabled', { param: 'realtime' })
    const id = context.newId('prog')
    await requireFreeExternalId(sql, principal, { table: 'programs', externalId, id })
    const status = principal.environment === 'sandbox' ? 'active' : 'pending'
    const made = await insertProgram(sql, principal, { id, name, currency, status, createdAt: now })
    const own = { name, externalId, metadata }
    const program = await saveProgram(sql, principal, {
      programId: id,
      own,
      settings: newSettings(made, requested),
    })
    if (status === 'active')
      await recordProgramEvent(sql, PROGRAM_MOVES.activate.event, program, now)
    return programView(program)
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}
