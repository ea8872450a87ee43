// The door of the people of a tenant.
export { newRecoveryCodes, newTotpSecret, passwordHash, recoveryHash } from './secrets.ts'
export { type Factor, forgetTries, type SignedIn, signIn } from './sign-in.ts'
export { insertUser } from './store.ts'
