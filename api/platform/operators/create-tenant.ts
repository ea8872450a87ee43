// Creates a tenant. Its sandbox is open at once; live opens with its KYB.
import { isCountry } from '../../../shared/countries.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import type { NewTenantInput, Tenant } from '../../../shared/schemas/tenant.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireKnownVersion } from '../../http/versions/answer.ts'
import { auditOperator, wholeTenant } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { insertTenant, tenantView } from '../tenants/index.ts'

export async function createTenant(
  context: OperatorContext,
  input: NewTenantInput,
): Promise<Tenant> {
  const { name, legal_name: legalName, country, api_version: apiVersion = API_VERSION } = input
  requireKnownVersion(apiVersion, 'api_version')
  if (!isCountry(country)) {
    throw new Refusal('parameter_invalid', {
      param: 'country',
      message: 'This field must be a country of ISO 3166-1 alpha-2, such as DE.',
    })
  }
  const { now } = context
  return write(context, async (sql) => {
    const id = context.newId('ten')
    const tenant = { id, name, legalName, country, apiVersion, createdAt: now }
    const made = await insertTenant(sql, tenant)
    await auditOperator(sql, context, wholeTenant(id), id)
    return tenantView(made, now)
  })
}
