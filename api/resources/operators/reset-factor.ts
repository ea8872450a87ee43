// Gives a person another second factor, for who lost theirs. Their password stays.
import type { PersonFactor } from '../../../shared/schemas/person.ts'
import type { OperatorContext } from '../../context.ts'
import { write } from '../../write.ts'
import { saveFactor } from '../users/index.ts'
import { changePerson } from './change-person.ts'
import { newFactor } from './new-factor.ts'

/**
 * The answer is the only place where secret and recovery codes are ever shown; those of before work no more. Chosen: of a
 * disabled person too, who then stays disabled.
 */
export async function resetFactor(
  context: OperatorContext,
  input: { personId: string },
): Promise<PersonFactor> {
  const { personId } = input
  const { shown, kept } = newFactor(context)
  return write(context, async (sql) => {
    const person = await changePerson(sql, context, personId, async (found) => {
      await saveFactor(sql, { userId: personId, ...kept })
      return { ...found }
    })
    return { ...person, ...shown }
  })
}
