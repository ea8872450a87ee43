// Changes the decision settings of a program's cards, from the answer on; or its name and the
// tenant fields.
import { isDeepStrictEqual } from 'node:util'
import type { Program, ProgramChangeInput } from '../../../shared/schemas/program.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { newSettings } from './settings.ts'
import { isRealtimeEntitled, lockProgram, saveProgram } from './store.ts'
import { type ProgramRow, programView } from './view.ts'

/**
 * Fields left out stay as they are; writing equal values changes nothing and waits for the engine
 * again. Chosen: a program of any status may be changed; only an entitled tenant may turn real time
 * on, and every tenant may turn it off.
 */
export async function updateProgram(
  context: Context,
  input: { programId: string; change: ProgramChangeInput },
): Promise<Program> {
  const { principal } = context
  const { programId } = input
  const { name, external_id, metadata, ...requested } = input.change
  const change = async (sql: TxSql) => {
    const held = await lockProgram(sql, principal, programId)
    if (held === null) throw new Refusal('resource_missing')
    if (requested.realtime === true && !(await isRealtimeEntitled(sql, principal)))
      throw new Refusal('feature_not_enabled', { param: 'realtime' })
    const settings = newSettings(held, requested)
    const own = {
      name: name ?? held.name,
      ...changedTenantFields(held, {
        ...(external_id !== undefined && { external_id }),
        ...(metadata !== undefined && { metadata }),
      }),
    }
    if (saysTheSame(held, { ...settings, ...own })) return programView(held)
    const { externalId } = own
    await requireFreeExternalId(sql, principal, { table: 'programs', externalId, id: programId })
    return programView(await saveProgram(sql, principal, { programId, own, settings }))
  }
  return writeConfirmed(context, change, { safeToRepeat: true })
}

function saysTheSame(held: ProgramRow, said: object): boolean {
  return isDeepStrictEqual({ ...held, ...said }, { ...held })
}
