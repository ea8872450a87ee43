// Entry point of one-time links by mail: confirmed addresses and forgotten passwords.
export {
  mayMail,
  type ProofWorld,
  proofHash,
  purgeProofs,
  sendReset,
  sendVerification,
} from './issue.ts'
export { findProof, type ProofRow } from './store.ts'
export { useReset, useVerification, type Verification } from './use.ts'
