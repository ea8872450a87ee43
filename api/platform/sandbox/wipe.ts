// Empties a tenant's sandbox: in PostgreSQL, in the engine and in the queues of its webhooks. One
// transaction: a killed wipe changes nothing.
import type { SandboxWipe } from '../../../shared/schemas/sandbox.ts'
import type { Context } from '../../context.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { emptySandbox } from './empty.ts'

/**
 * Answers once the engine has forgotten all of it. Chosen: the clock stays where it is; it never
 * goes back.
 */
export async function wipeSandbox(context: Context): Promise<SandboxWipe> {
  const { principal } = context
  const installationNow = context.now - principal.clockOffsetMs
  return writeConfirmed(
    context,
    async (sql) => ({
      id: principal.tenantId,
      object: 'sandbox_wipe',
      livemode: principal.environment === 'live',
      ...(await emptySandbox(sql, principal, installationNow)),
    }),
    { safeToRepeat: true },
  )
}
