// A person of the sandbox with an approved identity, to whom cards may be issued.
import { SvcError } from '../../../client/index.ts'
import { type Callers, madeOnce, once } from './callers.ts'

/** The details of an invented person. */
const PERSON = {
  first_name: 'Sandbox',
  date_of_birth: '1984-02-29',
  address: { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' },
}

/** Their id. `name` is theirs alone. */
export async function makeCardholder(
  callers: Callers,
  { name, programId }: { name: string; programId: string },
): Promise<string> {
  const { tenant, signal } = callers
  const input = { program_id: programId, ...PERSON, last_name: name, external_id: name }
  const { id, kyc } = await madeOnce(
    () => tenant.createCardholder(input, once(callers, 'createCardholder', input)),
    (known) => tenant.getCardholder({ id: known }, { signal }),
  )
  // An earlier start may have made them before the plan allowed identity checks.
  if (kyc.status === 'not_started') await tenant.verifyCardholder({ id }, { signal })
  if (kyc.status !== 'approved') await approve(callers, id)
  return id
}

/** In the place of the identity provider, which may have approved them already. */
async function approve(callers: Callers, id: string): Promise<void> {
  const { tenant } = callers
  const told = { id, result: 'approved' as const }
  try {
    await tenant.setSimulateCardholderKyc(told, once(callers, 'setSimulateCardholderKyc', told))
  } catch (error) {
    const there = error instanceof SvcError && error.detail['current_status'] === 'approved'
    if (!there) throw error
  }
}
