// Changes how a program's cards are decided, from the answer on.
import { isDeepStrictEqual } from 'node:util'
import type { Program, ProgramSettingsInput } from '../../../shared/schemas/program.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { newSettings } from './settings.ts'
import { isRealtimeEntitled, lockProgram, saveSettings } from './store.ts'
import { type ProgramRow, programView } from './view.ts'

/**
 * Fields left out stay as they are; writing what is already there changes nothing and waits for the engine again. Chosen: a
 * program of any status may be changed, and only who is entitled may turn real time on; everybody may turn it off.
 */
export async function updateProgram(
  context: Context,
  input: { programId: string; settings: ProgramSettingsInput },
): Promise<Program> {
  const { principal } = context
  const { programId } = input
  const change = async (sql: TxSql) => {
    const held = await lockProgram(sql, principal, programId)
    if (held === null) throw new Refusal('resource_missing')
    if (input.settings.realtime === true && !(await isRealtimeEntitled(sql, principal)))
      throw new Refusal('feature_not_enabled', { param: 'realtime' })
    const settings = newSettings(held, input.settings)
    if (saysTheSame(held, settings)) return programView(held)
    return programView(await saveSettings(sql, principal, { programId, settings }))
  }
  return changeConfiguration(context, change, { safeToRepeat: true })
}

function saysTheSame(held: ProgramRow, settings: object): boolean {
  return isDeepStrictEqual({ ...held, ...settings }, { ...held })
}
