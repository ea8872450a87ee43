// Entry point of passes.
export { erasePassesOfCards } from './erase.ts'
export { templateFollower } from './follow-template.ts'
export { recordInstalled, recordRemoved } from './install.ts'
export { readPayload } from './payload.ts'
export { type ClaimedPush, claimPushes, postponePush, strikePushes } from './pushes.ts'
export { revokePassesOfCard } from './revoke.ts'
export { passRoutes } from './routes.ts'
export { lockScannable, redeemPass, type ScannablePass } from './scan-store.ts'
export { ALONE, recordPassChanges } from './states.ts'
export { inPasses, PASS_PAGE_PATH, type PassContext, type PassPorts } from './view.ts'
export {
  type Installation,
  installationsOfDevice,
  lockPassAnywhere,
  type OwnedPass,
  passBySerial,
  passesChangedSince,
} from './wallet-store.ts'
