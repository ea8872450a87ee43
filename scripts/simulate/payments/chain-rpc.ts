// The node of the sandbox's own chain, as a story disturbs it: blocks are replaced, and the token
// pauses.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { systemClock } from '../../../shared/clock.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import { openBank } from '../../chain-peer/bank.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE } from '../../chain-peer/config.ts'
import { tokensOf } from '../../chain-peer/deploy.ts'
import type { Stage } from '../stage.ts'

interface FeeHistory {
  baseFeePerGas: readonly string[]
}

/** By address, then by nonce. */
type PoolPart = {
  readonly [address: string]: { readonly [nonce: string]: PoolTransaction }
}

interface Pool {
  pending: PoolPart
  queued: PoolPart
}

const BOUNDS = { callMsMax: 10_000, answerBytesMax: 1_000_000 }

/** A transaction as the node tells it; numbers are hex. */
export interface PoolTransaction {
  hash: string
  from: string
  nonce: string
  input: string
  maxFeePerGas: string
  blockNumber: string | null
}

export interface ChainRpc {
  settlement: `0x${string}`
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  pause(paused: boolean): Promise<void>
  /** The base fee of the next block, in wei, and another one for it. */
  baseFee(): Promise<number>
  setBaseFee(wei: number): Promise<void>
  /** A transaction that the node knows; null where it does not yet. */
  transaction(hash: string): Promise<PoolTransaction | null>
  /** The pool's transaction of the same sender and nonce; null where it has none. */
  pending(of: PoolTransaction): Promise<PoolTransaction | null>
  /** The block of a transaction; null while it is in none. */
  mined(of: PoolTransaction): Promise<string | null>
  /** Replaces the block of a transaction and those after it by empty ones; false once final. */
  takeBack(hash: string): Promise<boolean>
  /** Cents of an address at the latest block. */
  centsOf(address: string): Promise<number>
}

export function openChainRpc(stage: Stage): ChainRpc {
  const directory = join(stage.surroundings.dataDir, CHAIN_DIRECTORY)
  const {
    rpc_urls: urls,
    token,
    settlement,
  } = JSON.parse(readFileSync(join(directory, CHAIN_FILE), 'utf8'))
  const caller = openOutsideCaller({ clock: systemClock, ...BOUNDS })
  const rpc = createJsonRpc(urls[0], caller)
  const bank = openBank(directory, systemClock)
  stage.afterwards(async () => {
    await bank.close()
    await caller.close()
  })
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await rpc.call(method, params)
    if (answer.ok) return answer.value
    throw new Error(method + ': ' + JSON.stringify(answer.error))
  }
  const transaction = async (hash: string) =>
    (await ask('eth_getTransactionByHash', [hash])) as PoolTransaction | null
  const numberOf = async (tag: string): Promise<number> => {
    const block = (await ask('eth_getBlockByNumber', [tag, false])) as { number: string }
    return Number(block.number)
  }
  return {
    ...{ settlement, ask, transaction },
    async baseFee() {
      const told = (await ask('eth_feeHistory', ['0x1', 'latest', []])) as FeeHistory
      return Number(told.baseFeePerGas.at(-1))
    },
    async setBaseFee(wei) {
      await ask('anvil_setNextBlockBaseFeePerGas', ['0x' + wei.toString(16)])
    },
    async pending({ from, nonce }) {
      const pool = (await ask('txpool_content', [])) as Pool
      const same = (address: string): boolean => address.toLowerCase() === from.toLowerCase()
      const waiting = [pool.pending, pool.queued].flatMap((part) =>
        Object.entries(part).flatMap(([address, all]) => (same(address) ? Object.values(all) : [])),
      )
      return waiting.find((each) => Number(each.nonce) === Number(nonce)) ?? null
    },
    async takeBack(hash) {
      const [block, head, final] = await Promise.all([
        transaction(hash).then((of) => Number(of?.blockNumber ?? 0)),
        numberOf('latest'),
        numberOf('finalized'),
      ])
      if (block <= final) return false
      await ask('anvil_reorg', [head - block + 1, []])
      return ((await transaction(hash))?.blockNumber ?? null) === null
    },
    mined: async ({ hash }) => (await transaction(hash))?.blockNumber ?? null,
    pause: (paused) => bank.setPaused(paused),
    centsOf: async (address) => centsOfUnits(await tokensOf(rpc, token, address as `0x${string}`)),
  }
}
