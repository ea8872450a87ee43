// Entry point of tenants. Operators create and change a tenant; the operators module has those
// calls.
export {
  type Cap,
  type Entitled,
  endpointsBound,
  entitledOf,
  findEntitled,
  hasAddon,
  removeEntitlements,
  saveEntitlements,
  takeFromCap,
} from './entitlements.ts'
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
  savePaymentsEntitlement,
  saveSuspension,
  type TenantFilters,
  tenantTime,
} from './store.ts'
export { type TenantRow, tenantStatusOf, tenantView } from './view.ts'
