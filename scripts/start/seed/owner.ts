// Whose the programs and cards of the sandbox are: the tenant everybody plays with, and one that may do less.
import type { SandboxSecrets } from '../sandbox-secrets.ts'
import type { ProgramPlan } from './sandbox-plan.ts'

/** Whose a program is, and the endpoint it would ask. */
export function ownerOf(
  { secrets }: { secrets: SandboxSecrets },
  plan: ProgramPlan,
): { tenantId: string; endpointId: string } {
  const { unentitled } = secrets
  if (plan.unentitled === true && unentitled !== undefined)
    return { tenantId: unentitled.tenant_id, endpointId: unentitled.endpoint.id }
  return { tenantId: secrets.tenant_id, endpointId: secrets.realtime_endpoint.id }
}
