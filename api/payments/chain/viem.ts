// viem, loaded by its first call: 0.3 s of processor time and 23 MB that a process without a chain
// never needs. A process with a chain checks the addresses of its configuration first, so it has
// loaded viem before it listens.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

type Utils = typeof import('viem/utils')
type Accounts = typeof import('viem/accounts')

const require = createRequire(import.meta.url)

let utils: Utils | null = null
let accounts: Accounts | null = null

/** The functions of `viem/utils`. */
export function viem(): Utils {
  utils ??= load('viem/utils') as Utils
  return utils
}

/** The functions of `viem/accounts`. */
export function viemAccounts(): Accounts {
  accounts ??= load('viem/accounts') as Accounts
  return accounts
}

/** The same modules that `import` gives; `require` of the name would load a second copy. */
function load(name: string): unknown {
  return require(fileURLToPath(import.meta.resolve(name)))
}
