// Entry point of passkeys of members.
export { beginCeremony, type Ceremony, openCeremony, purgeCeremonies } from './ceremony.ts'
export { verifyEvidence } from './evidence.ts'
export { ALGORITHMS, type NewPasskey, registrationIn, verifyRegistration } from './registration.ts'
export { assertionIn, type PasskeySignIn, signInByPasskey } from './sign-in.ts'
export {
  deletePasskey,
  deletePasskeys,
  findPasskey,
  insertPasskey,
  isTaken,
  listPasskeys,
  type PasskeyRow,
  takeChallenge,
} from './store.ts'
