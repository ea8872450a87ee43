// Entry point of identities: people apart from the tenants they belong to, and how they sign in.
export {
  newRecoveryCodes,
  newTotpSecret,
  passwordHash,
  passwordWork,
  recoveryHash,
  totpStep,
} from './secrets.ts'
export {
  type Factor,
  purgeTries,
  type SignedIn,
  signIn,
  signInByCode,
  throttle,
} from './sign-in.ts'
export {
  countTry,
  eraseIdentity,
  findIdentity,
  findIdentityByEmail,
  findVerifiedIdentity,
  forgiveTry,
  type IdentityRow,
  insertIdentity,
  isOnlyOperator,
  isOperator,
  lockIdentity,
  type NewIdentity,
  removeGenerator,
  saveFactor,
  saveMissingRecoveryCodes,
  savePassword,
  saveProfile,
  saveRecoveryCodes,
  verifyAddress,
} from './store.ts'
