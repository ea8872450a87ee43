// Keys at the processor for calls of tenants.
import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'

/**
 * A key at the processor for a call of a tenant: the same for its repeats. The tenant's own text
 * stays here.
 */
export function callKey(context: Context, prefix: string): string {
  const { keyed } = context.call
  if (keyed === null) return context.newId(prefix)
  const { tenantId, environment } = context.principal
  const named = [tenantId, environment, keyed.key].join(' ')
  return prefix + '-' + createHash('sha256').update(named).digest('hex')
}
