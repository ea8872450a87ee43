// The door of the API keys.
export { findKeyByHash, type KeyRow } from './store.ts'
