// Changes what a person is called and the address they sign in with. Their role stays: for another one there is another person.
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { write } from '../../write.ts'
import { isAddressTaken, savePerson } from '../users/index.ts'
import { changePerson } from './change-person.ts'

/** An address that somebody else of the tenant has is 409. */
export async function updatePerson(
  context: OperatorContext,
  input: { personId: string; email?: string; name?: string },
): Promise<OperatorPerson> {
  const { personId } = input
  return write(context, (sql) =>
    changePerson(sql, context, personId, async (person) => {
      const email = input.email?.toLowerCase() ?? person.email
      const name = input.name ?? person.name
      if (email === person.email && name === person.name) return person
      const changed = { ...person, email, name }
      if (await isAddressTaken(sql, changed)) throw addressTaken()
      return savePerson(sql, changed)
    }),
  )
}

/** Somebody of the tenant signs in with this address, a disabled person too. */
export function addressTaken(): Refusal {
  return new Refusal('already_exists', {
    param: 'email',
    message: 'Another person of this tenant has this email address.',
  })
}
