// Entry point of the pages of people, for pages of other domains: their scope, their sessions and
// the proof of a change.
export type { PageServices } from './ports.ts'
export { type Problem, type ProofForm, type Proved, proofForm, provePerson } from './proof.ts'
export { passkeyForm, provedForm, withPasskeys } from './proof-view.ts'
export { peoplePages } from './scope.ts'
export { sentForm, takeProvedForm, wasSent } from './sent-form.ts'
export { endingPage, problemNotice } from './sign-in-view.ts'
export { forgetPerson, type SignedCall } from './signed-in.ts'
