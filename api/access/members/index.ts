// Entry point of members: changes of a tenant's people by its own owners and admins.
export {
  changeMemberRole,
  disableMember,
  enableMember,
  type MemberChange,
  removeFromTenant,
} from './change.ts'
export { type LetIn, letIn } from './let-in.ts'
export {
  applyFactorResets,
  beginReset,
  cancelReset,
  concernedMembers,
  purgeFactorResets,
  resetHash,
} from './resets.ts'
export { findReset } from './resets-store.ts'
export { memberRoutes } from './routes.ts'
