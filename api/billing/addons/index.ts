// Entry point of add-ons.
export { listAddons, saveAddon } from './store.ts'
export { addonView, enabledAddons } from './view.ts'
