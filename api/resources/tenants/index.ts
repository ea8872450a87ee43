// The door of tenants. A tenant is made and changed by operators, whose room stands further right.
export { requireTenantFor, requireTenantNotSuspended } from './require.ts'
export { KYB_MOVES, TENANT_MOVES } from './states.ts'
export {
  findTenant,
  insertTenant,
  listTenants,
  lockTenant,
  removeOverrides,
  saveEntitlement,
  saveKyb,
  saveOverride,
  saveSuspension,
  type TenantFilters,
} from './store.ts'
export { tenantTime } from './time.ts'
export { type TenantRow, tenantStatusOf, tenantView } from './view.ts'
