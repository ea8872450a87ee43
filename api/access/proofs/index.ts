// Entry point of one-time links by mail: confirmed addresses and forgotten passwords.
export {
  mayMail,
  type ProofWorld,
  proofHash,
  purgeProofs,
  sendRegain,
  sendReset,
  sendVerification,
} from './issue.ts'
export { findProof, type ProofRow } from './store.ts'
export { useRegain, useReset, useVerification, type Verification } from './use.ts'
