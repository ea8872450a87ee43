// The bank of the sandbox's token: mints and blocks on the running chain, one transaction at a
// time, with the owner's key that the chain partner left in the data directory.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideCaller } from '../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../api/payments/chain/json-rpc.ts'
import type { Clock } from '../../shared/clock.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import { CHAIN_FILE, OWNER_FILE } from './config.ts'
import { callTokenAsOwner, type Hex, mint } from './deploy.ts'

const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 1_000_000

export interface Bank {
  mint(to: Hex, cents: number): Promise<void>
  setBlocked(account: Hex, blocked: boolean): Promise<void>
  setPaused(paused: boolean): Promise<void>
  /** Lets the process end. */
  close(): Promise<void>
}

/** Each call rejects where the chain does not answer. */
export function openBank(directory: string, clock: Clock): Bank {
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  const caller = openOutsideCaller({ clock, ...bounds })
  const read = (file: string) => JSON.parse(readFileSync(join(directory, file), 'utf8'))
  const opened = () => {
    const { chain_id: chainId, token, rpc_urls: urls } = read(CHAIN_FILE)
    const { key: ownerKey } = read(OWNER_FILE)
    return { rpc: createJsonRpc(urls[0], caller), named: { chainId, token, ownerKey } }
  }
  let turn: Promise<unknown> = Promise.resolve()
  // Each transaction reads its nonce from the chain.
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = turn.then(work)
    turn = next.catch(() => undefined)
    return next
  }
  const call = (functionName: string, args: readonly unknown[]) =>
    inTurn(async () => {
      const { rpc, named } = opened()
      await callTokenAsOwner(rpc, named, { functionName, args })
    })
  return {
    mint: (to, cents) =>
      inTurn(async () => {
        const { rpc, named } = opened()
        await mint(rpc, { ...named, to, units: unitsOfCents(cents) })
      }),
    setBlocked: (account, blocked) => call('setBlocked', [account, blocked]),
    setPaused: (paused) => call('setPaused', [paused]),
    close: () => caller.close(),
  }
}
