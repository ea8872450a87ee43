// Disables or enables a person. From the answer on, a disabled person approves no call, and their
// unused approvals are void.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import { hasOtherOwner, PERSON_MOVES, savePerson } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { changePerson } from './change-person.ts'

/**
 * Refuses with 409 to disable the last active owner of a tenant: one owner must remain. Disabling a
 * disabled person changes nothing.
 */
export async function disablePerson(
  context: OperatorContext,
  input: { personId: string },
): Promise<OperatorPerson> {
  const { from, to } = PERSON_MOVES.disable
  return write(context, (sql) =>
    changePerson(sql, context, { ...input, notice: 'disabled' }, async (person) => {
      if (person.state === to) return person
      requireState(person.state, from)
      if (person.role === 'owner' && !(await hasOtherOwner(sql, person)))
        throw new Refusal('last_owner')
      return savePerson(sql, { ...person, state: to })
    }),
  )
}

/** The person signs in with the earlier credentials. Enabling an active person changes nothing. */
export async function enablePerson(
  context: OperatorContext,
  input: { personId: string },
): Promise<OperatorPerson> {
  const { from, to } = PERSON_MOVES.enable
  return write(context, (sql) =>
    changePerson(sql, context, { ...input, notice: 'enabled' }, async (person) => {
      if (person.state === to) return person
      requireState(person.state, from)
      return savePerson(sql, { ...person, state: to })
    }),
  )
}
