// Disables a person and lifts that again. From the answer on a disabled one approves no call, and what they approved that was
// not used yet is worth nothing.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { hasOtherOwner, PERSON_MOVES, savePerson } from '../users/index.ts'
import { changePerson } from './change-person.ts'

/** Refuses with 409 the last active owner of a tenant: somebody must be left. Disabling a disabled person changes nothing. */
export async function disablePerson(
  context: OperatorContext,
  input: { personId: string },
): Promise<OperatorPerson> {
  const { from, to } = PERSON_MOVES.disable
  return write(context, (sql) =>
    changePerson(sql, context, input.personId, async (person) => {
      if (person.state === to) return person
      requireState(person.state, from)
      if (person.role === 'owner' && !(await hasOtherOwner(sql, person)))
        throw new Refusal('last_owner')
      return savePerson(sql, { ...person, state: to })
    }),
  )
}

/** They sign in with what they had. Enabling an active person changes nothing. */
export async function enablePerson(
  context: OperatorContext,
  input: { personId: string },
): Promise<OperatorPerson> {
  const { from, to } = PERSON_MOVES.enable
  return write(context, (sql) =>
    changePerson(sql, context, input.personId, async (person) => {
      if (person.state === to) return person
      requireState(person.state, from)
      return savePerson(sql, { ...person, state: to })
    }),
  )
}
