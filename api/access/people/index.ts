// Entry point of the people of a tenant.
export {
  findPerson,
  hasOtherOwner,
  isAddressTaken,
  listPeople,
  type PersonFilters,
  saveFactor,
  savePerson,
} from './people-store.ts'
export { PEOPLE_QUERY, userRoutes } from './routes.ts'
export { newRecoveryCodes, newTotpSecret, passwordHash, recoveryHash } from './secrets.ts'
export { type Factor, purgeTries, type SignedIn, signIn } from './sign-in.ts'
export { PERSON_MOVES } from './states.ts'
export { insertUser } from './store.ts'
export { operatorPersonView, type PersonRow } from './view.ts'
