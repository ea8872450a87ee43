// Changes a person's name and sign-in address. The role stays: another role needs another person.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import { isAddressTaken, savePerson } from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { changePerson } from './change-person.ts'
import { refuseOperatorPerson } from './operator-person.ts'

/**
 * An address of another person is 409: one address is one person in all tenants. A credential alone
 * gives the person of an operator no other address: 403 `factor_required`.
 */
export async function updatePerson(
  context: OperatorContext,
  input: { personId: string; email?: string; name?: string },
): Promise<OperatorPerson> {
  const { personId } = input
  return write(context, (sql) =>
    changePerson(sql, context, { personId, notice: 'profile' }, async (person) => {
      const email = input.email?.toLowerCase() ?? person.email
      const name = input.name ?? person.name
      if (email === person.email && name === person.name) return person
      const changed = { ...person, email, name }
      if (await isAddressTaken(sql, changed)) throw addressTaken()
      if (email !== person.email) await refuseOperatorPerson(sql, context, person.identityId)
      return savePerson(sql, changed)
    }),
  )
}

/** Another person, perhaps disabled, has this sign-in address. */
export function addressTaken(): Refusal {
  return new Refusal('already_exists', {
    param: 'email',
    message: 'Another person has this email address.',
  })
}
