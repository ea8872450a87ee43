// Gives a person a new second factor after a loss. The password stays.
import type { PersonFactor } from '../../../shared/schemas/person.ts'
import { saveFactor } from '../../access/identities/index.ts'
import { deletePasskeys } from '../../access/passkeys/index.ts'
import { endOtherSessions } from '../../access/sessions/index.ts'
import type { OperatorContext } from '../../context.ts'
import { write } from '../../write/write.ts'
import { changePerson } from './change-person.ts'
import { newFactor } from './new-factor.ts'

/**
 * Only this answer ever shows the secret and recovery codes; the earlier ones stop working, as do
 * the passkeys and sessions of the person, because a lost device may hold any of them. Chosen: a
 * disabled person gets a new factor too, and stays disabled.
 */
export async function resetFactor(
  context: OperatorContext,
  input: { personId: string },
): Promise<PersonFactor> {
  const { personId } = input
  const { shown, kept } = newFactor(context)
  return write(context, async (sql) => {
    const person = await changePerson(
      sql,
      context,
      { personId, notice: 'factor_reset' },
      async (found) => {
        const { identityId } = found
        await saveFactor(sql, { identityId, ...kept })
        await deletePasskeys(sql, identityId)
        await endOtherSessions(sql, { identityId, keptId: null })
        return { ...found }
      },
    )
    return { ...person, ...shown }
  })
}
