// The programs of the sandbox, active, by their names in the plan. A program gets its later status
// only after its cards are there.
import { type Callers, madeOnce, once } from './callers.ts'
import { PROGRAMS, type ProgramName, type ProgramPlan } from './sandbox-plan.ts'

/** Those of `names` that are not known yet, beside the known ones. */
export async function makePrograms(
  callers: Callers,
  known: { readonly [name: string]: string },
  names: readonly ProgramName[],
): Promise<{ [name: string]: string }> {
  const ids: { [name: string]: string } = { ...known }
  for (const name of names) ids[name] ??= await makeProgram(callers, name)
  return ids
}

async function makeProgram(callers: Callers, externalId: ProgramName): Promise<string> {
  const { tenant, signal } = callers
  const plan: ProgramPlan = PROGRAMS[externalId]
  const input = { name: plan.name, external_id: externalId, ...plan.settings }
  const program = await madeOnce(
    () => tenant.createProgram(input, once(callers, 'createProgram', input)),
    (id) => tenant.getProgram({ id }, { signal }),
  )
  return program.id
}
