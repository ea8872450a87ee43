// Entry point of the people of a tenant: memberships of identities, and the rights of roles.
export { auditPerson } from './audit.ts'
export { mayApprove, mayManage } from './grants.ts'
export { PEOPLE_QUERY, userRoutes } from './routes.ts'
export { PERSON_MOVES } from './states.ts'
export {
  findMember,
  findPerson,
  hasOtherOwner,
  insertMember,
  insertPerson,
  isAddressTaken,
  listMemberships,
  listOwners,
  listPeople,
  lockActiveMember,
  type NewPersonRow,
  type PersonFilters,
  removeMember,
  saveMember,
  savePerson,
} from './store.ts'
export { operatorPersonView, type PersonRow, personView } from './view.ts'
