// All reads of payment methods.
import type { PaymentMethod } from '../../../shared/schemas/billing-payment-method.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { findMethod, listMethods } from './store.ts'
import { methodView } from './view.ts'

export async function readMethod({ sql, principal }: Context, id: string): Promise<PaymentMethod> {
  const row = await findMethod(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return methodView(row)
}

export async function readMethods({ sql, principal }: Context): Promise<{ data: PaymentMethod[] }> {
  return { data: (await listMethods(sql, principal)).map(methodView) }
}
