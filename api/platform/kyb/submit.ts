// Submits an application for live. An owner or admin approves the call; an operator decides.
import type { EpochMs } from '../../../shared/clock.ts'
import { isCountry } from '../../../shared/countries.ts'
import { isCurrency } from '../../../shared/money.ts'
import type { KybApplication, KybInput } from '../../../shared/schemas/kyb.ts'
import { findIdentity } from '../../access/identities/index.ts'
import { findPerson, mayManage } from '../../access/people/index.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { KYB_MOVES, lockTenant, saveKyb, tenantStatusOf } from '../tenants/index.ts'
import { insertApplication } from './store.ts'
import { type KybRow, kybView } from './view.ts'

/** Refuses with 409 while an application waits, and after an approval. */
export async function submitKyb(context: Context, details: KybInput): Promise<KybApplication> {
  const { principal, call } = context
  const { tenantId } = principal
  // The gate in front lets no call pass without an approval.
  const submittedBy = call.factor?.approvedBy ?? ''
  const now = context.now - principal.clockOffsetMs
  return write(context, async (sql) => {
    const made = { tenantId, submittedBy, details, now, id: context.newId('kyb') }
    return kybView(await submitApplication(sql, made))
  })
}

/** Records the application of an owner or admin, in the caller's transaction. */
async function submitApplication(
  sql: TxSql,
  made: { id: string; tenantId: string; submittedBy: string; details: KybInput; now: EpochMs },
): Promise<KybRow> {
  const { id, tenantId, submittedBy, details, now } = made
  const { from, to } = KYB_MOVES.submit
  const tenant = await lockTenant(sql, tenantId)
  if (tenant === null) throw new Refusal('resource_missing')
  if (tenantStatusOf(tenant) === 'suspended') throw new Refusal('account_suspended')
  const person = await findPerson(sql, submittedBy)
  if (person === null || !mayManage(person.role, 'admin')) throw new Refusal('role_not_allowed')
  requireState(tenant.kybStatus, from)
  const identity = await findIdentity(sql, person.identityId)
  if (identity?.verifiedAt == null) throw new Refusal('address_not_verified')
  const application = { id, tenantId, details, submittedBy, createdAt: now }
  const row = await insertApplication(sql, application)
  await saveKyb(sql, tenantId, { status: to, reason: null, decidedAt: null })
  return row
}

/** Refuses with 400 a country or a currency that does not exist. */
export function requireKnownCodes({ country, address, program }: KybInput): void {
  const codes: readonly (readonly [string, string])[] = [
    ['country', country],
    ['address.country', address.country],
  ]
  for (const [param, code] of codes) {
    if (isCountry(code)) continue
    const message = 'This field must be a country of ISO 3166-1 alpha-2, such as DE.'
    throw new Refusal('parameter_invalid', { param, message })
  }
  if (isCurrency(program.currency)) return
  const message = 'This field must be a currency in which cards can be issued.'
  throw new Refusal('parameter_invalid', { param: 'program.currency', message })
}
